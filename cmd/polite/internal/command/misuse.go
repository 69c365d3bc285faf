package command

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/closest"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// pathOf returns the name of a command below polite, as in "cache list".
func pathOf(c *cobra.Command) string {
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	return path
}

// vetArguments lets a command fail as a misuse if its arguments make no sense.
func vetArguments(c *cobra.Command) {
	vet := c.Args
	if vet == nil || !c.HasParent() {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		err := vet(c, args)
		if _, told := errors.AsType[verb.MisuseError](err); err == nil || told {
			return err
		}
		return verb.Misused(pathOf(c), err)
	}
}

// nothing is for a verb without arguments.
func nothing(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	name := verb.Shown(args[0])
	if meant := meantVerb(c, name); meant != "" {
		return fmt.Errorf("unexpected argument %q: did you mean %q?", name, meant)
	}
	return fmt.Errorf("unexpected argument %q", name)
}

// noVerb returns the error for arguments that begin with no verb. It says what may have been
// meant.
func noVerb(polite *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	name := verb.Shown(args[0])
	hint := `"polite help" lists the commands.`
	if strings.Contains(name, "://") {
		hint = "To fetch a page, write: polite get " + name
	} else if strings.HasSuffix(name, "robots.txt") {
		hint = fmt.Sprintf(`"polite help robots.txt" is a guide to the language, "polite lint %s" checks a file.`, name)
	} else if meant := meantVerb(polite, name); meant != "" {
		hint = fmt.Sprintf("Did you mean %q? %s", meant, hint)
	}
	return verb.Hinted(fmt.Errorf("unknown command %q", name), hint)
}

// meantVerb returns the verb below c that was meant by a name that none has, or "".
func meantVerb(c *cobra.Command, name string) string {
	suggested := c.SuggestionsFor(name)
	if name == "" || len(suggested) == 0 {
		return ""
	}
	return cmp.Or(closest.Name(name, suggested), suggested[0])
}

// noFlag returns the error for flags that make no sense. It says what may have been meant.
func noFlag(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); !c.HasParent() && len(args) > 0 {
		return noVerb(c, args)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if meant := meantFlag(c.Flags(), unknown); meant != "" {
			err = fmt.Errorf("%w; did you mean --%s?", err, meant)
		}
	}
	return verb.Misused(pathOf(c), err)
}

// meantFlag returns the flag that was meant by one that does not exist, or "". A flag of many
// letters takes two dashes.
func meantFlag(flags *pflag.FlagSet, unknown *pflag.NotExistError) string {
	name, _, _ := strings.Cut(unknown.GetSpecifiedName(), "=")
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		name, _, _ = strings.Cut(letters, "=")
	}
	if len(name) < 3 {
		return ""
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return closest.Name(name, names)
}

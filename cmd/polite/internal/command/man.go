package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

func manVerb() *cobra.Command {
	return &cobra.Command{
		Use: "man folder", Short: "write man pages",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return verb.Misused("man", errors.New("to which folder? write it as in: polite man ~/.local/share/man/man1"))
			}
			return writePages(c.Root(), args[0])
		},
	}
}

// writePages writes the man pages of a command and all below it to a folder.
func writePages(c *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	var failed error
	each(c, func(c *cobra.Command) {
		if !c.Hidden {
			failed = errors.Join(failed, writePage(c, folder))
		}
	})
	return failed
}

func writePage(c *cobra.Command, folder string) error {
	file, err := os.Create(filepath.Join(folder, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
	if err != nil {
		return err
	}
	if c.HasParent() {
		c.SetHelpCommand(&cobra.Command{Hidden: true}) // else the page refers to one for it
	}
	c.Long, c.DisableAutoGenTag = markdown(c.Long), true
	c.Flags().VisitAll(nameValue)
	var page strings.Builder
	err = doc.GenMan(c, nil, &page)
	// A flag without a value needs no "[=false]".
	_, writing := strings.NewReplacer("[=false]", "", "[=]", "").WriteString(file, page.String())
	return errors.Join(err, writing, file.Close())
}

// nameValue lets the page of a command name the value that a flag takes, as the help does.
// The library would write the default in its place.
func nameValue(f *pflag.Flag) {
	name, usage := pflag.UnquoteUsage(f)
	f.Usage = markdown(usage)
	if name == "" {
		return
	}
	if usual := strings.Trim(f.DefValue, "[]"); usual != "" && usual != "0" {
		f.Usage += " (default " + usual + ")"
	}
	f.DefValue, f.Value = name, unquoted{f.Value}
}

// unquoted is a value of a flag that the library does not quote, as it does a string.
type unquoted struct{ pflag.Value }

func (unquoted) Type() string { return "" }

// markdown returns a text of the help as Markdown, from which man pages are made. Indented
// lines are examples in both; in Markdown, a blank line precedes them.
func markdown(text string) string {
	escape := strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "#", `\#`)
	var b strings.Builder
	wasExample := false
	for line := range strings.Lines(text) {
		isExample := strings.HasPrefix(line, "    ")
		switch {
		case !isExample:
			line = escape.Replace(line)
		case !wasExample:
			b.WriteString("\n")
		}
		b.WriteString(line)
		wasExample = isExample
	}
	return b.String()
}

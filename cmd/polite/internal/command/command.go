// Package command is the command polite, and has the table of its verbs. Each verb has a folder here,
// with its help, or shares one with a verb on the same subject. Package verb has what all of them
// share: they cannot use this package, which uses them.
package command

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path"
	"strings"
	"syscall"

	"github.com/go-polite/polite/cmd/polite/internal/child"
	"github.com/go-polite/polite/cmd/polite/internal/command/cache"
	"github.com/go-polite/polite/cmd/polite/internal/command/check"
	"github.com/go-polite/polite/cmd/polite/internal/command/crawlers"
	"github.com/go-polite/polite/cmd/polite/internal/command/diff"
	"github.com/go-polite/polite/cmd/polite/internal/command/get"
	"github.com/go-polite/polite/cmd/polite/internal/command/identity"
	"github.com/go-polite/polite/cmd/polite/internal/command/lint"
	"github.com/go-polite/polite/cmd/polite/internal/command/mcp"
	"github.com/go-polite/polite/cmd/polite/internal/command/records"
	"github.com/go-polite/polite/cmd/polite/internal/command/run"
	"github.com/go-polite/polite/cmd/polite/internal/command/tester"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/closest"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Main executes the command that the arguments of the process are, and returns its exit
// status.
func Main() int {
	child.Enter()
	signal.Ignore(syscall.SIGPIPE) // so that Write returns an error for a closed pipe
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends the command at once
	return int(Run(ctx, os.Args[1:], verb.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// Run executes the command that args are, and returns its exit status.
func Run(ctx context.Context, args []string, std verb.Streams) verb.Status {
	help := &helpWriter{w: std.Out}
	polite := newPolite(std, help)
	polite.SetArgs(append([]string{}, args...)) // for nil, cobra takes those of the process
	executed, err := polite.ExecuteContextC(ctx)
	return verb.Conclude(pathOf(executed), cmp.Or(err, help.err), std.Err)
}

// A helpWriter remembers why help could not be written: cobra does not tell.
type helpWriter struct {
	w   io.Writer
	err error
}

func (h *helpWriter) Write(text []byte) (n int, err error) {
	n, err = h.w.Write(text)
	h.err = cmp.Or(h.err, err)
	return n, err
}

const forItself = "The command itself:"

// newPolite returns the whole command, which writes its help to help.
func newPolite(std verb.Streams, help io.Writer) *cobra.Command {
	polite := &cobra.Command{
		Use:           "polite",
		Short:         "fetch and check pages as robots.txt has it",
		Version:       verb.Built(),
		Args:          noVerb,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors: true, // verb.Conclude tells them
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
	}
	polite.SetOut(help)
	polite.SetErr(std.Err)
	group := func(title string, verbs ...*cobra.Command) {
		polite.AddGroup(&cobra.Group{ID: title, Title: title})
		for _, c := range verbs {
			c.GroupID = title
		}
		polite.AddCommand(verbs...)
	}
	group("Fetch politely:", get.Verb(std), mcp.Verb(std), run.ProxyVerb(std), run.Verb(std))
	group("Read and write a robots.txt:",
		check.Verb(std), crawlers.Verb(std), diff.Verb(std), identity.Verb(std), lint.Verb(std), records.Verb(std), tester.Verb(std))
	group(forItself, cache.Verb(std))
	polite.AddCommand(topics()...)
	ownHelp(polite)
	texts := helpTexts()
	completion, _, _ := polite.Find([]string{"completion"})
	ownCompletion(completion, texts["completion"])
	each(polite, func(c *cobra.Command) {
		if !c.HasParent() || !c.Parent().HasParent() {
			c.Long = texts[strings.TrimSuffix(c.Name(), ".txt")] + c.Long
		}
		vetArguments(c)
		completeFlags(c)
	})
	polite.SetFlagErrorFunc(noFlag)
	polite.SetVersionTemplate("polite {{.Version}}\n")
	polite.SetUsageTemplate(strings.ReplaceAll(polite.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	return polite
}

// topics are what "polite help" knows besides verbs.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "robots.txt", Aliases: []string{"robots"}, Short: "a guide to the language"},
		{Use: "sites", Short: "how to write a file for --sites"},
		{Use: "usage", Short: "a guide to what sites say about use"},
	}
}

// ownHelp lets "polite help" and "polite completion", which are cobra's, stand with the
// other verbs.
func ownHelp(polite *cobra.Command) {
	polite.SetHelpCommandGroupID(forItself)
	polite.SetCompletionCommandGroupID(forItself)
	polite.InitDefaultHelpCmd()
	polite.InitDefaultCompletionCmd()
	help, _, _ := polite.Find([]string{"help"})
	help.Short = "tell how to use a command, or about a topic"
	help.Args = func(_ *cobra.Command, args []string) error {
		found, rest, err := polite.Find(args)
		if err == nil && len(rest) > 0 {
			err = noVerb(found, rest)
		}
		return err
	}
	verbs := help.ValidArgsFunction
	help.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		words, directive := verbs(c, args, begun)
		for _, topic := range topics() {
			words = append(words, topic.Name()) // which cobra leaves out
		}
		return words, directive
	}
}

// ownCompletion gives "polite completion" and what is below it texts of our own.
func ownCompletion(completion *cobra.Command, text string) {
	completion.Short, completion.Long = "print a file by which a shell completes it all", ""
	for _, shell := range completion.Commands() {
		shell.Short, shell.Long = "print the file for "+shell.Name(), text
		shell.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = "leave out what commands and flags do" })
	}
	completion.RunE = func(c *cobra.Command, _ []string) error { return c.Help() } // so that its arguments are vetted
}

//go:embed help cache/*.txt check/*.txt crawlers/*.txt diff/*.txt get/*.txt identity/*.txt lint/*.txt mcp/*.txt records/*.txt run/*.txt tester/*.txt
var texts embed.FS

// helpTexts returns the texts of the help by the names of their files, which stand beside the verbs or in help.
func helpTexts() map[string]string {
	all := make(map[string]string)
	names, _ := fs.Glob(texts, "*/*.txt")
	for _, name := range names {
		text, _ := texts.ReadFile(name)
		all[strings.TrimSuffix(path.Base(name), ".txt")] = strings.TrimSuffix(string(text), "\n")
	}
	return all
}

// each calls do for all commands below c, and for c.
func each(c *cobra.Command, do func(*cobra.Command)) {
	for _, child := range c.Commands() {
		each(child, do)
	}
	do(c)
}

// completeFlags lets a shell complete the values of flags. What a value is, the help says in
// a word.
func completeFlags(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch value, _ := pflag.UnquoteUsage(f); value {
		case "", "file": // a file is what a shell completes by itself
		default:
			c.RegisterFlagCompletionFunc(f.Name, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return valuesOf(value), cobra.ShellCompDirectiveNoFileComp
			})
		}
	})
}

// valuesOf returns the words that a value of a flag may be, by its name in the help.
func valuesOf(value string) (words []string) {
	switch value {
	case "which":
		return []string{"all", "documents"}
	case "id":
		return lint.IDs()
	case "severity":
		return lint.Severities()
	case "kind":
		return crawlers.Kinds()
	case "agent":
		return crawlers.Names()
	}
	return words
}

// pathOf returns the name of a command below polite, as in "cache list".
func pathOf(c *cobra.Command) string {
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	return path
}

// vetArguments lets a command fail as a misuse if its arguments make no sense.
func vetArguments(c *cobra.Command) {
	vet := c.Args
	if vet == nil && !strings.Contains(c.Use, " ") { // it names none
		vet = nothing
	}
	if vet == nil || !c.HasParent() {
		return
	}
	c.Args = func(c *cobra.Command, args []string) error {
		err := cmp.Or(together(c), vet(c, args))
		if _, told := errors.AsType[verb.MisuseError](err); err == nil || told {
			return err
		}
		return verb.Misused(pathOf(c), err)
	}
}

// together returns the error for flags that exclude each other.
func together(c *cobra.Command) error {
	err := c.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	_, set, _ := strings.Cut(err.Error(), "; [") // the library has no other word of which they are
	set, _, _ = strings.Cut(set, "]")
	return fmt.Errorf("--%s do not go together: leave one out", strings.ReplaceAll(set, " ", " and --"))
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

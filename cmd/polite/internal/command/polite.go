package command

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newPolite returns the whole command, which writes its help to help. Each verb has a file of
// its own.
func newPolite(std verb.Streams, help io.Writer) *cobra.Command {
	polite := &cobra.Command{
		Use:           "polite",
		Short:         "fetch and check pages as robots.txt has it",
		Version:       version(),
		Args:          noVerb,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors: true, // verb.Conclude tells them
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
	}
	polite.SetOut(help)
	polite.SetErr(std.Err)
	for _, title := range []string{forPages, forFiles, forItself} {
		polite.AddGroup(&cobra.Group{ID: title, Title: title})
	}
	polite.AddCommand(
		getVerb(std), mcpVerb(std), proxyVerb(std), runVerb(std),
		checkVerb(std), crawlersVerb(std), diffVerb(std), identityVerb(std), lintVerb(std), recordsVerb(std), sitemapsVerb(std), testerVerb(std),
		cacheVerb(std), manVerb(), versionVerb(),
	)
	polite.AddCommand(topics()...)
	ownHelp(polite)
	each(polite, func(c *cobra.Command) {
		explain(c)
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
	completion, _, _ := polite.Find([]string{"completion"})
	ownCompletion(completion)
}

// ownCompletion gives "polite completion" and what is below it texts of our own.
func ownCompletion(completion *cobra.Command) {
	completion.Short, completion.Long = "print a file by which a shell completes it all", ""
	for _, shell := range completion.Commands() {
		shell.Short, shell.Long = "print the file for "+shell.Name(), textOf(completion)
		shell.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = "leave out what commands and flags do" })
	}
	completion.RunE = func(c *cobra.Command, _ []string) error { return c.Help() } // so that its arguments are vetted
}

//go:embed help
var texts embed.FS

// explain gives a command the text of its help, if there is one.
func explain(c *cobra.Command) {
	if !c.HasParent() || !c.Parent().HasParent() {
		c.Long = textOf(c) + c.Long
	}
}

// textOf returns the text of the help for a command, or "".
func textOf(c *cobra.Command) string {
	text, _ := texts.ReadFile("help/" + strings.TrimSuffix(c.Name(), ".txt") + ".txt")
	return strings.TrimSuffix(string(text), "\n")
}

// The groups of verbs, in the order of the help.
const (
	forPages  = "Fetch politely:"
	forFiles  = "Read and write a robots.txt:"
	forItself = "The command itself:"
)

// each calls do for all commands below c, and for c.
func each(c *cobra.Command, do func(*cobra.Command)) {
	for _, child := range c.Commands() {
		each(child, do)
	}
	do(c)
}

func versionVerb() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", GroupID: forItself, Args: nothing,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), "polite", version())
			return err
		},
	}
}

// version returns the version of the command, and what it was built with.
func version() string {
	return fmt.Sprintf("%s, %s %s/%s", cmp.Or(verb.Version(), "(unreleased)"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

package command

import (
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completeFlags lets a shell complete the values of flags. What a value is, the help says in
// a word.
func completeFlags(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch value, _ := pflag.UnquoteUsage(f); value {
		case "", "file": // a file is what a shell completes by itself
		default:
			c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(valuesOf(value), cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

// valuesOf returns the words that a value of a flag may be, by its name in the help.
func valuesOf(value string) (words []string) {
	switch value {
	case "which":
		return []string{"all", "documents"}
	case "when":
		return []string{"auto", "always", "never"}
	case "id":
		for _, c := range checks() {
			words = append(words, c.ID)
		}
	case "severity":
		return []string{"error", "warning", "note"}
	case "purpose":
		return purposes()
	case "agent":
		for _, c := range crawlers.All() {
			words = append(words, c.Name)
		}
	}
	return words
}

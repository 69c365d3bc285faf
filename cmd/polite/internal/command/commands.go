package command

import "github.com/spf13/cobra"

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

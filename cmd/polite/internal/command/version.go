package command

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/spf13/cobra"
)

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

package command

import (
	"slices"

	"github.com/go-polite/polite/cmd/polite/internal/serving"
	"github.com/go-polite/polite/robots/lint"
)

// checks returns all checks, of files and of how they are served.
func checks() []lint.Check { return slices.Concat(lint.Checks(), serving.Checks()) }

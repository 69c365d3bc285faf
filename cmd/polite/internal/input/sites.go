package input

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/sites"
)

// Sites reads the file of --sites, and returns what is different for the site of a
// request. It returns nil if the name is "". The error is that of a misuse of a verb.
func Sites(ctx context.Context, verbName, name string) (func(*http.Request) *polite.Options, error) {
	if name == "" {
		return nil, nil
	}
	table, err := await(ctx, func() (*sites.Table, error) { return sites.ReadFile(name) })
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, verb.Misused(verbName, fmt.Errorf("--sites: %w", firstOf(name, err)))
	}
	return table.Site, nil
}

// firstOf returns the first problem of a file, and how many others there are.
func firstOf(name string, err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Path = verb.Shown(name)
	}
	first, rest, more := strings.Cut(err.Error(), "\n")
	if !more {
		return err
	}
	n := strings.Count(rest, "\n") + 1
	return fmt.Errorf("%s (more lines are wrong: %d)", first, n)
}

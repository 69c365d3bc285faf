package input

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// OpenFile opens a file, or standard input if the name is "-".
func OpenFile(ctx context.Context, name string, std verb.Streams) (io.ReadCloser, error) {
	if name == "-" {
		return std.Input(ctx), nil
	}
	return await(ctx, func() (io.ReadCloser, error) { return openFile(name) })
}

// await returns what do does, or why ctx ended before: nobody may write to a pipe.
func await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		read T
		err  error
	}
	done := make(chan result, 1)
	go func() {
		read, err := do()
		done <- result{read, err}
	}()
	select {
	case r := <-done:
		return r.read, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// openFile opens a file. The error hides the password of a name that is a URL.
func openFile(name string) (*os.File, error) {
	file, err := os.Open(name)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Path = verb.Shown(name)
	}
	return file, err
}

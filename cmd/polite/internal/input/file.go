package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
)

// A Source is the text of a robots.txt, and where it is from.
type Source struct {
	Name string // of the file, or the URL
	Body []byte
	URL  *url.URL // nil if it is not known
}

// File reads a robots.txt from a file, or from standard input if the name is "-". It
// reads one byte more than the part that counts, so that a longer file can be told
// from one that ends there.
func File(ctx context.Context, name string, std verb.Streams) (Source, error) {
	if name == "-" {
		stdin := std.Input(ctx)
		defer stdin.Close()
		s, err := read("stdin", stdin)
		return s, cmp.Or(context.Cause(ctx), err)
	}
	return await(ctx, func() (Source, error) { return open(name) })
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

func open(name string) (Source, error) {
	file, err := openFile(name)
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(name, ".") {
		err = fmt.Errorf("%w (for the robots.txt of a site, write its URL, as in https://example.com/)", err)
	}
	if err != nil {
		return Source{}, verb.Unread(err)
	}
	defer file.Close()
	return read(name, file)
}

func read(name string, r io.Reader) (Source, error) {
	body, err := io.ReadAll(io.LimitReader(r, robots.MaxSize+1))
	if err != nil {
		return Source{}, verb.Unread(err)
	}
	return Source{Name: name, Body: body}, nil
}

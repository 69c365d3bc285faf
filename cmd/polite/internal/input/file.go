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
	"slices"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

// A Source is the text of a robots.txt, and where it is from.
type Source struct {
	Name string // of the file, or the URL
	Body []byte
	URL  *url.URL // nil if it is not known
}

// TellFormat tells if a source is no robots.txt, but a web page or the like.
func (s Source) TellFormat(tell func(error)) {
	if what := lint.Format(s.Body); what != "" {
		tell(fmt.Errorf("%s is %s, in which crawlers find nothing: see polite lint", s.Name, what))
	}
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

// VetRobots returns the error of an argument that names a robots.txt and makes no sense. It
// reads nothing.
func VetRobots(ctx context.Context, arg string) error {
	if !IsURL(arg) {
		return nil
	}
	u, err := URL(arg)
	if err != nil {
		return err
	}
	return Vet(ctx, &polite.Transport{UserAgent: verb.UserAgent()}, u)
}

// VetAll returns an error if one of the arguments that name robots.txt files makes no sense. It reads
// nothing.
func VetAll(ctx context.Context, args []string) error {
	for i, arg := range args {
		if arg == "-" && slices.Contains(args[:i], "-") {
			return errors.New(`"-" twice: standard input can be read once`)
		}
		if err := VetRobots(ctx, arg); err != nil {
			return err
		}
	}
	return nil
}

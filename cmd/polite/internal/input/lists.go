package input

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/sitemap"
)

// Lists reads lists of URLs. A list has one URL a line, or it is a sitemap, which may be
// compressed, or an index of sitemaps.
type Lists struct {
	Std    verb.Streams
	Client *http.Client // fetches sitemaps
}

// ErrEmpty is the error of a list without URLs, where one was asked for.
var ErrEmpty = errors.New("the list is empty: write a URL a line")

// NewLists returns Lists that fetch sitemaps through a transport.
func NewLists(std verb.Streams, transport *polite.Transport) Lists {
	return Lists{std, &http.Client{Transport: transport}}
}

// URLs yields the URLs of a list, as they are written there. The name is that of a file, a
// URL, or "-" for standard input. For what cannot be read, URLs yields an error.
func (l Lists) URLs(ctx context.Context, name string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		in, err := l.open(ctx, name)
		if err != nil {
			yield("", cmp.Or(context.Cause(ctx), err))
			return
		}
		defer in.Close()
		for text, err := range l.urlsIn(ctx, name, in) {
			if !yield(text, cmp.Or(context.Cause(ctx), err)) {
				return
			}
		}
	}
}

func (l Lists) open(ctx context.Context, name string) (io.ReadCloser, error) {
	if !IsURL(name) {
		return OpenFile(ctx, name, l.Std)
	}
	if _, err := URL(name); err != nil {
		return nil, err
	}
	body, err := l.sitemaps().Fetch(ctx, name)
	if err != nil {
		return nil, errorOf(name, err)
	}
	return io.NopCloser(body), nil
}

func (l Lists) sitemaps() sitemap.Reader { return sitemap.Reader{Client: l.Client} }

// urlsIn yields the URLs of a list. It reads no more of one than it must, to know what it is:
// somebody may type it.
func (l Lists) urlsIn(ctx context.Context, name string, r io.Reader) iter.Seq2[string, error] {
	in := bufio.NewReader(r)
	first, _ := in.Peek(1)
	if len(first) == 0 || strings.IndexByte("\x1f\xef\xfe\xff< \t\r\n", first[0]) < 0 {
		return Lines(in)
	}
	if start, _ := in.Peek(64); !sitemap.Is(start) {
		return Lines(in)
	}
	in, err := sitemap.Unpack(in)
	if err != nil {
		return failing(name, err)
	}
	if start, _ := in.Peek(64); !sitemap.Is(start) {
		return Lines(in)
	}
	return l.locations(ctx, name, in)
}

// failing yields the error of a list.
func failing(name string, err error) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { yield("", errorOf(name, err)) }
}

// errorOf returns the error of a list. What robots.txt says of a sitemap is no verdict on a URL,
// so only the text is told.
func errorOf(name string, err error) error {
	if of, ok := errors.AsType[*sitemap.Error](err); ok {
		name, err = of.URL, of.Err
	}
	text := verb.Message(fetch.Plain(err))
	if !IsURL(name) || !strings.Contains(text, verb.Shown(name)) {
		text = nameOf(name) + ": " + text
	}
	return errors.New(text)
}

// locations yields the URLs of a sitemap, or of the sitemaps that it names.
func (l Lists) locations(ctx context.Context, name string, r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for page, err := range l.sitemaps().Follow(ctx, name, r) {
			if err != nil {
				err = errorOf(name, err)
			}
			if !yield(page.URL, err) {
				return
			}
		}
	}
}

// Questions yields the questions that were given. If there are none, it makes one of each
// URL of a list.
func (l Lists) Questions(ctx context.Context, given []judge.Question, list string, question func(line string) judge.Question) iter.Seq[judge.Question] {
	if len(given) > 0 {
		return slices.Values(given)
	}
	return func(yield func(judge.Question) bool) {
		for line, err := range l.URLs(ctx, list) {
			q := judge.Question{Name: nameOf(list), Err: err}
			if err == nil {
				q = question(line)
			}
			if !yield(q) {
				return
			}
		}
	}
}

func nameOf(list string) string {
	if list == "-" {
		return "standard input"
	}
	return verb.Shown(list)
}

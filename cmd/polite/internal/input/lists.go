package input

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/sitemap"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origin"
)

// Lists reads lists of URLs. A list has one URL a line, or it is a sitemap, which may be
// compressed, or an index of sitemaps.
type Lists struct {
	Std    verb.Streams
	Client *http.Client // fetches sitemaps
}

// NewLists returns Lists that fetch sitemaps through a transport.
func NewLists(std verb.Streams, transport *polite.Transport) Lists {
	return Lists{std, &http.Client{Transport: transport, CheckRedirect: stayOut}}
}

// mostRedirects is how many redirects to a sitemap are followed.
const mostRedirects = 10

// stayOut lets no site of the internet lead into a private network, where a request may do
// what only its owner should.
func stayOut(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= mostRedirects:
		return fmt.Errorf("it redirects more than %d times", mostRedirects)
	case origin.IsPrivate(req.URL.Hostname()) && !origin.IsPrivate(via[0].URL.Hostname()):
		return errors.New("it redirects into a private network")
	default:
		return nil
	}
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
	if IsURL(name) {
		return l.fetch(ctx, name)
	}
	return OpenFile(ctx, name, l.Std)
}

// urlsIn yields the URLs of a list. It reads no more of one than it must, to know what it is:
// somebody may type it.
func (l Lists) urlsIn(ctx context.Context, name string, r io.Reader) iter.Seq2[string, error] {
	in := bufio.NewReader(r)
	first, _ := in.Peek(1)
	if len(first) == 0 || strings.IndexByte("\x1f\xef< \t\r\n", first[0]) < 0 {
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

func errorOf(name string, err error) error { return fmt.Errorf("%s: %w", nameOf(name), err) }

// locations yields the URLs of a sitemap, or of the sitemaps that it names.
func (l Lists) locations(ctx context.Context, name string, r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		i := index{lists: l, name: name}
		for entry, err := range sitemap.Entries(r) {
			switch {
			case err != nil:
				yield("", errorOf(name, err))
				return
			case entry.Sitemap && !i.each(ctx, entry.URL, yield), !entry.Sitemap && !yield(entry.URL, nil):
				return
			}
		}
	}
}

// An index is a sitemap that names others.
type index struct {
	lists Lists
	name  string
	host  string // of all of them
	n     int    // how many there were
}

// mostSitemaps is how many an index may name, by the protocol.
const mostSitemaps = 50_000

// each yields the URLs of a sitemap that the index names, and reports whether to go on.
func (i *index) each(ctx context.Context, at string, yield func(string, error) bool) bool {
	if err := i.vet(at); err != nil {
		return yield("", errorOf(i.name, err)) && i.n <= mostSitemaps
	}
	in, err := i.lists.fetch(ctx, at)
	if err != nil {
		return yield("", cmp.Or(context.Cause(ctx), err)) && ctx.Err() == nil
	}
	defer in.Close()
	r, err := sitemap.Unpack(bufio.NewReader(in))
	if err != nil {
		return yield("", errorOf(at, err))
	}
	for entry, err := range sitemap.Entries(r) {
		if entry.Sitemap {
			err = errors.New("it is an index within an index, which is not read")
		}
		if err != nil {
			return yield("", errorOf(at, err))
		}
		if !yield(entry.URL, nil) {
			return false
		}
	}
	return true
}

// vet returns why a sitemap of the index is not read. By the protocol, an index names only
// sitemaps of its own host, so a site leads nobody elsewhere.
func (i *index) vet(at string) error {
	if i.n++; i.n > mostSitemaps {
		return fmt.Errorf("it names more than %d sitemaps: the rest is not read", mostSitemaps)
	}
	u, err := URL(at)
	if err != nil {
		return err
	}
	if index, err := url.Parse(i.name); err == nil && i.host == "" {
		i.host = index.Hostname()
	}
	i.host = cmp.Or(i.host, u.Hostname())
	if !strings.EqualFold(u.Hostname(), i.host) {
		return fmt.Errorf("%s is not read, as the index is one of %s", verb.Shown(at), i.host)
	}
	return nil
}

// longestFetch is how long a sitemap may take, its waits included.
const longestFetch = 5 * time.Minute

// fetch fetches a sitemap to its end, so that the site may be asked for more while the URLs
// are read.
func (l Lists) fetch(ctx context.Context, at string) (io.ReadCloser, error) {
	u, err := URL(at)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, longestFetch, fmt.Errorf("it takes longer than %v", longestFetch))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := l.Client.Do(req)
	if err != nil {
		return nil, unfetched(at, cmp.Or(context.Cause(ctx), verb.Cause(err)))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errorOf(at, fmt.Errorf("the site answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, sitemap.MaxSize+1))
	if err == nil && len(body) > sitemap.MaxSize {
		err = fmt.Errorf("it is larger than %d MiB", sitemap.MaxSize>>20)
	}
	if err != nil {
		return nil, errorOf(at, cmp.Or(context.Cause(ctx), err))
	}
	return io.NopCloser(bytes.NewReader(body)), nil
}

// unfetched returns the error of a sitemap that could not be fetched. What robots.txt says of
// it is no verdict on a URL, so only the text is told.
func unfetched(at string, err error) error {
	if text := verb.Message(err); strings.Contains(text, verb.Shown(at)) {
		return errors.New(text)
	}
	return errors.New(nameOf(at) + ": " + verb.Message(err))
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

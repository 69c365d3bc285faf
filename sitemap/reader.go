package sitemap

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
	"strings"
	"time"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/public"
)

// A Reader fetches sitemaps, and those that an index names. It is safe for concurrent use, if its
// Client is.
type Reader struct {
	// Client fetches the sitemaps: give it a polite.Transport. If it has no CheckRedirect, at most
	// ten redirects are followed, and none from the internet into a private network. If nil, it is a
	// new http.Client, which does not obey robots.txt.
	Client *http.Client
}

// An Error says which sitemap could not be read, and why. Err may be a refusal of polite.
type Error struct {
	URL string // or the name that Follow got
	Err error
}

func (e *Error) Error() string {
	return printable.Text("sitemap: " + shown(e.URL) + ": " + e.Err.Error())
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// shown returns a URL without its password.
func shown(at string) string {
	if u, err := url.Parse(at); err == nil {
		return u.Redacted()
	}
	return at
}

// URLs yields the pages that the sitemap at a URL names. If it is an index, they are
// those of the sitemaps that it names and that are of its own host, each fetched when its turn
// comes. For what cannot be read, URLs yields an *Error, and goes on with the next sitemap. It ends
// when ctx ends; the error then is context.Cause.
func (r Reader) URLs(ctx context.Context, at string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		in, err := r.Fetch(ctx, at)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for page, err := range r.Follow(ctx, at, in) {
			if !yield(page, err) {
				return
			}
		}
	}
}

// Follow is URLs for a sitemap that is at hand in in: a file, or what Fetch has returned. The name
// is its URL, or what errors call it.
func (r Reader) Follow(ctx context.Context, name string, in io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		i := index{reader: r, name: name}
		for entry, err := range Read(in) {
			switch {
			case err != nil:
				yield(Entry{}, &Error{name, err})
				return
			case entry.Sitemap && !i.each(ctx, entry.URL, yield), !entry.Sitemap && !yield(entry, nil):
				return
			}
		}
	}
}

// An index is a sitemap that names others.
type index struct {
	reader Reader
	name   string
	host   string // of all of them
	n      int    // how many there were
}

// mostSitemaps is how many an index may name, by the protocol.
const mostSitemaps = 50_000

// each yields the URLs of a sitemap that the index names, and reports whether to go on.
func (i *index) each(ctx context.Context, at string, yield func(Entry, error) bool) bool {
	if err := i.vet(at); err != nil {
		return yield(Entry{}, &Error{i.name, err}) && i.n <= mostSitemaps
	}
	in, err := i.reader.Fetch(ctx, at)
	if err != nil {
		return yield(Entry{}, err) && ctx.Err() == nil
	}
	for entry, err := range Read(in) {
		if entry.Sitemap {
			err = errors.New("it is an index within an index, which is not read")
		}
		if err != nil {
			return yield(Entry{}, &Error{at, err})
		}
		if !yield(entry, nil) {
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
	u, err := parse(at)
	if err != nil {
		return err
	}
	if index, err := url.Parse(i.name); err == nil && i.host == "" {
		i.host = index.Hostname()
	}
	i.host = cmp.Or(i.host, u.Hostname())
	if !strings.EqualFold(u.Hostname(), i.host) {
		return fmt.Errorf("%s is not read, as the index is one of %s", u.Redacted(), i.host)
	}
	return nil
}

// parse returns the URL of a sitemap.
func parse(at string) (*url.URL, error) {
	u, err := origin.Parse(at)
	switch {
	case err != nil, u.Scheme == "":
		return nil, fmt.Errorf("%.200q is no URL with a scheme", shown(at))
	case !origin.IsHTTP(u):
		return nil, fmt.Errorf("%.200q cannot be fetched: it is neither http nor https", shown(at))
	default:
		return u, nil
	}
}

// longestFetch is how long a sitemap may take, its waits included.
const longestFetch = 5 * time.Minute

// Fetch fetches the file at a URL to its end, in five minutes at most, so that the site may be asked
// for more while it is read. It returns what the site has sent, which may be compressed: see Read.
// If the status is not 200, the file is larger than MaxSize or cannot be fetched, the error is an
// *Error. If ctx ends, it is context.Cause.
func (r Reader) Fetch(ctx context.Context, at string) (*bufio.Reader, error) {
	u, err := parse(at)
	if err != nil {
		return nil, &Error{at, err}
	}
	whole := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, longestFetch, fmt.Errorf("it takes longer than %v", longestFetch))
	defer cancel()
	body, err := r.get(ctx, u)
	switch {
	case err == nil:
		return bufio.NewReader(bytes.NewReader(body)), nil
	case whole.Err() != nil:
		return nil, context.Cause(whole)
	default:
		return nil, &Error{at, cmp.Or(context.Cause(ctx), err)}
	}
}

func (r Reader) get(ctx context.Context, u *url.URL) ([]byte, error) {
	var client http.Client
	if r.Client != nil {
		client = *r.Client
	}
	if client.CheckRedirect == nil {
		client.CheckRedirect = stayOut
	}
	resp, err := client.Do(origin.NewRequest(ctx, http.MethodGet, u))
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // which Error names the URL of
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the site answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxSize+1))
	if len(body) > MaxSize {
		err = errTooLarge
	}
	return body, err
}

// mostRedirects is how many redirects to a sitemap are followed.
const mostRedirects = 10

// stayOut lets no site of the internet lead into a private network, where a request may do
// what only its owner should: see public.Redirect.
func stayOut(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= mostRedirects:
		return fmt.Errorf("it redirects more than %d times", mostRedirects)
	case public.Redirect(via[len(via)-1].URL, req.URL) != nil:
		return errors.New("it redirects into a private network")
	default:
		return nil
	}
}

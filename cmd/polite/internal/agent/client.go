package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/public"
)

func (s *service) open(pages *pagecache.Transport) *client {
	pages.Kept = noteKept
	way := &hourly{RoundTripper: pages, most: s.PerHour}
	return &client{pages.Polite, &http.Client{Transport: hurried{way, s.MaxWait}, CheckRedirect: s.redirected}}
}

// mostRedirects is how many redirects of a page are followed.
const mostRedirects = 5

// redirected vets the hops of a redirect as it vets what is asked for.
func (s *service) redirected(req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer") // where a model comes from concerns nobody
	err := s.vet(req.URL)
	switch {
	case len(via) > mostRedirects:
		err = errors.New("there were five redirects before")
	case err == nil && len(req.URL.String()) > longestURL:
		err = fmt.Errorf("its URL is longer than %d octets", longestURL)
	}
	to := excerpt(req.URL.Redacted())
	switch {
	case err == nil:
		return nil
	case errors.Is(err, public.ErrPrivate):
		return closed(fmt.Sprintf("It redirects to %s, which", to))
	default:
		says := fmt.Sprintf("The page was not fetched: it redirects to %s, which is not followed: %v", to, err)
		return &Refusal{Why: "redirect", Says: strings.TrimSuffix(says, ".") + "."}
	}
}

// longestURL is more than servers take.
const longestURL = 8000

// address returns the URL that a model has written.
func (s *service) address(written string) (*url.URL, error) {
	if len(written) > longestURL {
		return nil, misuse("The URL is longer than %d octets.", longestURL)
	}
	u, err := origin.Parse(strings.TrimSpace(written))
	if err != nil || u.Host == "" {
		return nil, misuse("%s is no URL: write it with its scheme and host, as in https://example.com/page.", quoted(written))
	}
	if err := s.vet(u); err != nil {
		return nil, err
	}
	if _, err := origin.OfURL(u); err != nil {
		return nil, misuse("%s is no URL: %s.", quoted(written), excerpt(err.Error()))
	}
	u.Fragment, u.RawFragment = "", "" // a site does not see it
	return u, nil
}

// vet returns why nothing at a URL may be fetched, whatever its site says.
func (s *service) vet(u *url.URL) error {
	switch {
	case !origin.IsHTTP(u):
		return misuse("Only URLs that begin with https:// or http:// can be fetched.")
	case u.User != nil:
		return misuse("A URL with a user or a password is not fetched: leave them out.")
	case !origin.IsPublic(u.Hostname()) && !s.private(u.Hostname()):
		return fmt.Errorf("%s: %w", excerpt(u.Hostname()), public.ErrPrivate)
	}
	return nil
}

func (s *service) private(host string) bool { return s.Private != nil && s.Private(host) }

// mostSitemaps is how many sitemaps of a site are told beside something else.
const mostSitemaps = 5

// sitemaps returns the sitemaps that robots.txt names, if it is known, and so many at most.
func (c *client) sitemaps(ctx context.Context, u *url.URL, most int) (all []string) {
	file, err := c.Robots(ctx, u)
	if err != nil {
		return nil
	}
	for written := range file.Sitemaps() {
		sitemap, err := u.Parse(written)
		if err != nil || len(all) == most {
			continue
		}
		if shown := printable.URL(sitemap.String()); len(shown) <= longestShown {
			all = append(all, shown)
		}
	}
	return all
}

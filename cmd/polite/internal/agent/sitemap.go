package agent

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/usage"
	"github.com/go-polite/polite/sitemap"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How many URLs of sitemaps are returned, and kept.
const (
	usualURLs = 100
	mostURLs  = 1000
	mostKnown = 50_000   // what the protocol of sitemaps allows in one
	mostFiles = 3        // of the sitemaps of a site are read in a call
	mostShown = 100_000  // octets of URLs are returned
	mostText  = 16 << 20 // octets of a sitemap are read
)

// A SitemapWish is what the tool sitemap takes.
type SitemapWish struct {
	URL      string `json:"url" jsonschema:"a site, as in https://example.com/, or one of its sitemaps, as in https://example.com/sitemap.xml"`
	Contains string `json:"contains,omitempty" jsonschema:"return only URLs that contain this text"`
	Start    int    `json:"start,omitempty" jsonschema:"the first of the URLs to return; 0 if left out"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many URLs to return: 100 if left out, at most 1000"`
}

func (w SitemapWish) address() string { return w.URL }

// A Sitemap is what the tool sitemap has found.
type Sitemap struct {
	Read     []string `json:"read" jsonschema:"the sitemaps that were read"`
	Failed   []string `json:"failed,omitempty" jsonschema:"the sitemaps that were not, and why"`
	Total    int      `json:"total" jsonschema:"how many URLs there are, of those that were asked for"`
	Next     int      `json:"next,omitempty" jsonschema:"the start of the next URLs; missing if these are the last"`
	URLs     []string `json:"urls,omitempty" jsonschema:"pages, as the site has written them"`
	Sitemaps []string `json:"sitemaps,omitempty" jsonschema:"further sitemaps: use the tool for each"`
}

// text returns the URLs for a model.
func (m *Sitemap) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d URLs, of %s\n", len(m.URLs)+len(m.Sitemaps), m.Total, excerpts(m.Read))
	if m.Next > 0 {
		fmt.Fprintf(&b, "For more, ask with start=%d.\n", m.Next)
	}
	for _, failed := range m.Failed {
		b.WriteString("Not read: " + failed + "\n")
	}
	lines := m.URLs
	for _, further := range m.Sitemaps {
		lines = append(lines, "sitemap: "+further)
	}
	b.WriteString(marked(strings.Join(lines, "\n")) + "\n")
	return b.String()
}

func sitemapTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "sitemap", Title: "List the pages of a site",
		Description: "Lists the URLs that the sitemaps of a site name, filtered. For a site, it reads the sitemaps that robots.txt names, or else /sitemap.xml. An index names further sitemaps: use the tool for each.",
	}
}

// sitemap lists what sitemaps name.
func (s *service) sitemap(ctx context.Context, w SitemapWish) (*Sitemap, error) {
	if w.Start < 0 || w.Limit < 0 {
		return nil, misuse("start and limit are counts of URLs, from 0.")
	}
	u, err := s.address(w.URL)
	if err != nil {
		return nil, err
	}
	ctx = polite.With(ctx, polite.Options{MaxWait: s.MaxWait, Purposes: []usage.Use{}})
	c := s.model
	found := new(Sitemap)
	var all []listed
	var failed error
	for _, at := range c.listsOf(ctx, u) {
		part, err := s.list(ctx, c, at)
		if err != nil {
			failed = err
			found.Failed = append(found.Failed, fmt.Sprintf("%s (%s)", excerpt(at), s.refusal(err).Says))
			continue
		}
		found.Read, all = append(found.Read, shownURL(at)), append(all, part...)
	}
	if len(found.Read) == 0 && failed != nil {
		return nil, failed
	}
	found.take(all, w)
	return found, nil
}

// take takes the URLs that were asked for.
func (m *Sitemap) take(all []listed, w SitemapWish) {
	limit, size := min(cmp.Or(w.Limit, usualURLs), mostURLs), 0
	for _, l := range all {
		if !strings.Contains(l.url, w.Contains) {
			continue
		}
		m.Total++
		switch {
		case m.Total <= w.Start || m.Next > 0:
		case m.Total > w.Start+limit || size+len(l.url) > mostShown:
			m.Next = m.Total - 1
		case l.sitemap:
			size, m.Sitemaps = size+len(l.url), append(m.Sitemaps, l.url)
		default:
			size, m.URLs = size+len(l.url), append(m.URLs, l.url)
		}
	}
}

// listsOf returns the sitemaps to read for a URL: itself, unless it is that of a site.
func (c *client) listsOf(ctx context.Context, u *url.URL) []string {
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		return []string{u.String()}
	}
	named := c.sitemaps(ctx, u)
	if len(named) == 0 {
		return []string{u.Scheme + "://" + u.Host + "/sitemap.xml"}
	}
	return named[:min(len(named), mostFiles)]
}

// list returns what a sitemap names.
func (s *service) list(ctx context.Context, c *client, name string) ([]listed, error) {
	if l, ok := s.lists.get(name); ok {
		return l.all, c.stillAllowed(ctx, l.url)
	}
	u, err := s.address(name)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if err := s.vetStatus(ctx, c, resp.Request.URL, resp); err != nil {
		return nil, err
	}
	if err := s.listing.take(ctx); err != nil {
		return nil, err
	}
	defer s.listing.leave()
	all, size, err := entries(whileIn{ctx, resp.Body}, resp.Request.URL)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, noList(name, err)
	}
	s.lists.put(name, list{resp.Request.URL, all}, size)
	return all, nil
}

// entries reads a sitemap. size is about how many octets they take.
func entries(text io.Reader, base *url.URL) (all []listed, size int, err error) {
	unpacked, err := sitemap.Unpack(text)
	if err != nil {
		return nil, 0, err
	}
	for e, err := range sitemap.Read(io.LimitReader(unpacked, mostText)) {
		if err != nil && len(all) == 0 {
			return nil, 0, err
		}
		if err != nil || len(all) == mostKnown || size > mostKept/2 {
			break
		}
		u, err := base.Parse(e.URL)
		if err != nil || len(e.URL) > longestURL {
			continue
		}
		shown := printable.URL(u.String())
		all, size = append(all, listed{shown, e.Sitemap}), size+len(shown)+40
	}
	return all, size, nil
}

// A whileIn is a Reader that ends with its context.
type whileIn struct {
	ctx context.Context
	io.Reader
}

func (r whileIn) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}

func noList(name string, err error) *Refusal {
	return &Refusal{Why: "kind", URL: shownURL(name), Says: fmt.Sprintf("%s could not be read as a sitemap: %s.", excerpt(name), excerpt(err.Error()))}
}

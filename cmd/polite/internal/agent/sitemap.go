package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origin"
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
	Contains string `json:"contains,omitempty" jsonschema:"return only URLs of pages that contain this text"`
	Start    int    `json:"start,omitempty" jsonschema:"the first of the URLs to return; 0 if left out"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many URLs to return: 100 if left out, at most 1000"`
}

func (w SitemapWish) address() string { return w.URL }

// A Sitemap is what the tool sitemap has found.
type Sitemap struct {
	Read     []string `json:"read" jsonschema:"the sitemaps that were read"`
	Failed   []string `json:"failed,omitempty" jsonschema:"what was not read of the sitemaps, and why"`
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
	if n := len(m.Sitemaps); n > 0 {
		fmt.Fprintf(&b, "Of these, %d are further sitemaps, which were not read: use the tool for each.\n", n)
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
	found := new(Sitemap)
	var all []listed
	var failed error
	lists, further := s.model.listsOf(ctx, u)
	for _, at := range lists {
		part, err := s.list(ctx, s.model, at)
		if err != nil {
			failed = err
			found.fail("%s (%s)", excerpt(at), s.refusal(err).Says)
			continue
		}
		found.Read, all = append(found.Read, shownURL(at)), append(all, part.all...)
		if part.ends != "" {
			found.fail("the rest of %s (%s)", excerpt(at), part.ends)
		}
		if part.bad > 0 {
			found.fail("entries of %s that are no URLs (%d)", excerpt(at), part.bad)
		}
	}
	if len(found.Read) == 0 && failed != nil {
		return nil, failed
	}
	for _, at := range further {
		all = append(all, listed{at, true})
	}
	found.take(all, w)
	return found, nil
}

func (m *Sitemap) fail(format string, args ...any) {
	m.Failed = append(m.Failed, fmt.Sprintf(format, args...))
}

// take takes the URLs that were asked for.
func (m *Sitemap) take(all []listed, w SitemapWish) {
	limit, size := min(cmp.Or(w.Limit, usualURLs), mostURLs), 0
	for _, l := range all {
		if !l.sitemap && !strings.Contains(l.url, w.Contains) {
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

// listsOf returns the sitemaps to read for a URL, and further ones: itself, unless it is that of a site.
func (c *client) listsOf(ctx context.Context, u *url.URL) (read, further []string) {
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		return []string{u.String()}, nil
	}
	named := c.sitemaps(ctx, u, mostKnown)
	if len(named) == 0 {
		named = []string{u.Scheme + "://" + u.Host + "/sitemap.xml"}
	}
	n := min(len(named), mostFiles)
	return named[:n], named[n:]
}

// list returns what a sitemap names.
func (s *service) list(ctx context.Context, c *client, name string) (l list, err error) {
	if l, ok := s.lists.get(name); ok {
		return l, c.stillAllowed(ctx, l.url)
	}
	u, err := s.address(name)
	if err != nil {
		return l, err
	}
	resp, err := c.http.Do(origin.NewRequest(ctx, http.MethodGet, u))
	if err != nil {
		return l, err
	}
	defer resp.Body.Close()
	if err := s.vetStatus(ctx, c, resp.Request.URL, resp); err != nil {
		return l, err
	}
	if err := s.listing.Acquire(ctx, 1); err != nil {
		return l, err
	}
	defer s.listing.Release(1)
	l, err = entries(whileIn{ctx, resp.Body}, resp.Request.URL)
	if ctx.Err() != nil {
		return l, context.Cause(ctx)
	}
	if err != nil {
		says := fmt.Sprintf("%s could not be read as a sitemap: %s.", excerpt(name), excerpt(err.Error()))
		return l, &Refusal{Why: "kind", URL: shownURL(name), Says: says}
	}
	s.lists.put(name, l, l.size)
	return l, nil
}

// entries reads a sitemap. It is an error if there is nothing in it to read.
func entries(text io.Reader, base *url.URL) (list, error) {
	l := list{url: base}
	unpacked, err := sitemap.Unpack(text)
	if err != nil {
		return l, err
	}
	in := &io.LimitedReader{R: unpacked, N: mostText + 1}
	for e, err := range sitemap.Read(in) {
		switch {
		case in.N == 0:
			err = fmt.Errorf("it has more than %d octets", mostText)
		case len(l.all) == mostKnown:
			err = fmt.Errorf("it has more than %d URLs", mostKnown)
		case l.size > mostKept/2:
			err = errors.New("it is too long to be kept")
		case err == nil:
			l.add(e, base)
			continue
		case len(l.all) == 0:
			return l, err
		}
		l.ends = excerpt(err.Error())
		break
	}
	return l, nil
}

// add adds an entry to a list.
func (l *list) add(e sitemap.Entry, base *url.URL) {
	u, err := origin.Parse(e.URL)
	if err != nil || len(e.URL) > longestURL {
		l.bad++
		return
	}
	shown := printable.URL(base.ResolveReference(u).String())
	l.all, l.size = append(l.all, listed{shown, e.Sitemap}), l.size+len(shown)+40
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

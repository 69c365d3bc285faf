package tester

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/sitemap"
)

type loadAnswer struct {
	URL       string         `json:"url"`
	Body      []byte         `json:"body"` // base64; null if there are no rules to go by
	Entries   []report.Entry `json:"entries"`
	Meaning   string         `json:"meaning"`
	Truncated bool           `json:"truncated"`
	Error     string         `json:"error"` // why the site gave no answer
}

// What package polite makes of an answer.
const (
	rulesMean   = "rules"
	allowsAll   = "everything is allowed"
	allowsNone  = "nothing may be fetched"
	longestLoad = time.Minute
)

// Sites are how sites are asked.
type Sites struct {
	Base  http.RoundTripper
	Cache func(context.Context) (cache *polite.Cache, end func()) // where their answers are kept
}

// load asks a site for its robots.txt, as "polite check" does.
func (s Sites) load(ctx context.Context, site string) (loadAnswer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longestLoad, errors.New("the site takes too long"))
	defer cancel()
	q := input.Question(input.WithScheme(site), false)
	if q.Err != nil {
		return loadAnswer{}, bad("%w", q.Err)
	}
	q.URL.Path, q.URL.RawPath, q.URL.RawQuery = "/", "", "" // what the page is does not matter
	tap := &robotstxt.Tap{Base: s.Base}
	tokens, err := judge.ParseAgent(verb.UserAgent())
	if err != nil {
		return loadAnswer{}, err
	}
	cache, end := s.Cache(ctx)
	defer end()
	j := judge.New(judge.Options{Crawlers: [][]string{tokens}, Base: tap, Cache: cache})
	v := j.Judge(ctx, q)[0]
	if v.Err != nil {
		return loadAnswer{}, bad("%s could not be loaded: %w", printable.URL(q.Name), v.Err)
	}
	return loaded(v, tap), nil
}

func loaded(v judge.Verdict, tap *robotstxt.Tap) loadAnswer {
	d := v.Decision
	a := loadAnswer{URL: d.RobotsURL, Truncated: d.Truncated, Meaning: meaning(d)}
	for _, e := range report.StoryOf(v).Entries {
		if e.Name == "robots.txt" {
			a.Entries = append(a.Entries, e)
		}
	}
	if text := tap.Text(d); text != nil && a.Meaning == rulesMean {
		a.Body = text.Body
	}
	if a.Meaning == allowsNone {
		a.Error = fmt.Sprintf("robots.txt %s", report.Answer(d))
	}
	return a
}

func meaning(d polite.Decision) string {
	switch {
	case robotstxt.IsRead(d):
		return rulesMean
	case d.Allowed:
		return allowsAll
	default:
		return allowsNone
	}
}

// A sitemapAnswer is the URLs of a sitemap, as many as the page tests.
type sitemapAnswer struct {
	URLs  []string `json:"urls"`
	More  bool     `json:"more"`  // the sitemap has others
	Error string   `json:"error"` // why some could not be read

	size int // octets of the URLs
}

// longestSitemap is how long the sitemaps of an index may take together.
const longestSitemap = 2 * time.Minute

// sitemap returns the URLs of a sitemap, or of those that an index names. It asks the site as
// "polite check" does.
func (s Sites) sitemap(ctx context.Context, at string) (sitemapAnswer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longestSitemap, errors.New("the site takes too long"))
	defer cancel()
	if _, err := input.URL(at); err != nil {
		return sitemapAnswer{}, bad("%w", err) // it would be a file of this machine
	}
	cache, end := s.Cache(ctx)
	defer end()
	transport := &polite.Transport{UserAgent: verb.UserAgent(), Base: s.Base, Cache: cache}
	a := sitemapAnswer{URLs: []string{}}
	for u, err := range input.NewLists(verb.Streams{}, transport).URLs(ctx, at) {
		if !a.take(u, err) {
			break
		}
	}
	return a, a.failure()
}

// urlsOf returns the URLs of a sitemap, which may be compressed, or of a list with one a line.
// It asks nobody.
func urlsOf(body []byte) (sitemapAnswer, error) {
	a := sitemapAnswer{URLs: []string{}}
	in, err := sitemap.Unpack(bytes.NewReader(body))
	if err != nil {
		return a, bad("The file %w.", err)
	}
	start, _ := in.Peek(64)
	if !sitemap.Is(start) {
		for line, err := range input.Lines(in) {
			if !a.take(line, err) {
				break
			}
		}
		return a, a.failure()
	}
	for entry, err := range sitemap.Read(in) {
		if entry.Sitemap {
			err = errors.New("it is an index of sitemaps: write the URL of one")
		}
		if !a.take(entry.URL, err) {
			break
		}
	}
	return a, a.failure()
}

// take adds a URL, or tells an error, and reports whether there is room for more.
func (a *sitemapAnswer) take(u string, err error) bool {
	if err != nil {
		a.Error = cmp.Or(a.Error, printable.Text(verb.Message(err)))
		return true
	}
	if len(a.URLs) == mostURLs || a.size+len(u) > mostURLBytes {
		a.More = true
		return false
	}
	if u := strings.Join(strings.Fields(u), "%20"); u != "" { // a line each
		a.URLs, a.size = append(a.URLs, u), a.size+len(u)
	}
	return true
}

// failure returns the error of a sitemap without URLs.
func (a *sitemapAnswer) failure() error {
	if len(a.URLs) == 0 && a.Error != "" {
		return bad("%s", a.Error)
	}
	return nil
}

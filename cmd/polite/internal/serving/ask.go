// Package serving tells how a site serves its robots.txt: what came back, from which of
// its hosts, and what crawlers make of it.
package serving

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/robots"
)

// An Asker asks origins for robots.txt, as polite does before it fetches a page. Make one
// with [NewAsker]. It is safe for concurrent use.
type Asker struct {
	base      http.RoundTripper
	tap       *robotstxt.Tap
	transport *polite.Transport

	mu     sync.Mutex
	probed map[string]func() []Probe // by URL: no URL is probed twice
}

// NewAsker returns an Asker that sends its requests through base, and waits for each
// origin no longer than timeout; 0 is for as long as polite waits. If cache is nil, there is
// a new one. A cache that knows an origin already answers for it, without its text.
func NewAsker(base http.RoundTripper, cache *polite.Cache, timeout time.Duration) *Asker {
	if cache == nil {
		cache = new(polite.Cache)
	}
	tap := &robotstxt.Tap{Base: base}
	return &Asker{base: base, tap: tap, probed: make(map[string]func() []Probe), transport: &polite.Transport{
		UserAgent: verb.UserAgent(), Base: tap, Cache: cache, Policy: polite.Policy{Timeout: timeout},
	}}
}

// An Answer is what came back for the robots.txt of an origin.
type Answer struct {
	polite.Decision                 // on the origin's first page
	Text            *robotstxt.Text // nil if no text came, or if it was not kept
}

// Ask asks the origin of u. The error says why there is nobody to ask, or why ctx ended. A site
// that does not answer is no error: see [polite.Decision.Err].
func (a *Asker) Ask(ctx context.Context, u *url.URL) (Answer, error) {
	d, err := a.transport.Check(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"})
	if err != nil {
		return Answer{}, cmp.Or(context.Cause(ctx), err)
	}
	answer := Answer{Decision: d}
	if answer.HasFile() {
		answer.Text = a.tap.Text(d)
	}
	return answer, nil
}

// HasFile reports whether the origin has a robots.txt, and polite could read it.
func (a Answer) HasFile() bool {
	return a.Reason == polite.ReasonRule || a.Reason == polite.ReasonNoRule
}

// At returns the URL that the answer came from, after all redirects.
func (a Answer) At() string {
	if len(a.Hops) == 0 {
		return a.RobotsURL
	}
	return a.Hops[len(a.Hops)-1]
}

// header returns the header of the file. It is empty if there is no file.
func (a Answer) header() http.Header {
	if a.Text == nil {
		return nil
	}
	return a.Text.Header
}

// lifetime returns for how long crawlers keep the answer (RFC 9309 §2.4, RFC 9111 §4.2).
func (a Answer) lifetime() time.Duration {
	age := fetch.MaxAge(a.header())
	if age < 0 {
		return known.MaxAge
	}
	return min(max(age, known.MinAge), known.MaxAge)
}

// probe asks for a robots.txt. It takes its turn with the other requests to the site.
func (a *Asker) probe(ctx context.Context, method, userAgent, at string) Probe {
	p := Probe{Method: method, UserAgent: userAgent}
	client := http.Client{
		Transport:     &polite.Transport{UserAgent: userAgent, Base: a.base, Cache: a.transport.Cache},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	req, err := http.NewRequestWithContext(ctx, method, at, nil)
	if err != nil {
		return p
	}
	resp, err := client.Do(req)
	if err != nil {
		return p
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		if p.Body, err = fetch.ReadBody(resp.Header, resp.Body); err != nil {
			return p
		}
	}
	p.Status, p.Location = resp.StatusCode, resp.Header.Get("Location")
	return p
}

// A Probe is what came back when robots.txt was asked for in another way than crawlers do.
// Redirects are not followed.
type Probe struct {
	Method    string
	UserAgent string
	Status    int // 0 if no answer came
	Location  string
	Body      []byte // of a 2xx
}

// VetAgent returns the error of a User-Agent in whose name nobody can ask.
func VetAgent(userAgent string) error {
	_, err := (&polite.Transport{UserAgent: userAgent}).Check(context.Background(), &url.URL{Scheme: "https", Host: "localhost", Path: "/robots.txt"})
	return err
}

// saySame reports whether two texts differ in nothing but comments and blank lines. Some
// sites write the time of the request into a comment.
func saySame(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(bare(a), bare(b))
}

// bare returns a text without comments and blank lines.
func bare(body []byte) []byte {
	var all []byte
	for _, line := range robots.Lines(body) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		if line = bytes.TrimSpace(line); len(line) > 0 {
			all = append(append(all, line...), '\n')
		}
	}
	return all
}

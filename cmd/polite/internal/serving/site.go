// Package serving tells how a site serves its robots.txt: what came back, from which of
// its hosts, and what crawlers make of it.
package serving

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/reach"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"golang.org/x/net/publicsuffix"
)

// A Site is how a site serves its robots.txt.
type Site struct {
	Answer          // of the origin that was asked about
	Others []Answer // of the other origins of the site, in the order of [Origins]
	Probes []Probe  // none if the origin was unreachable
}

// Browser returns polite's User-Agent as browsers and many crawlers write theirs. Some sites
// answer it otherwise.
func Browser() string {
	product, _, _ := strings.Cut(verb.UserAgent(), " ")
	return "Mozilla/5.0 (compatible; " + product + "; +" + verb.Home + ")"
}

// probeTime is how long all probes of a URL may take.
const probeTime = 10 * time.Second

// Look asks all origins of a site at once, see [Origins], and the origin of u also with HEAD
// and in the name of each User-Agent, once in the life of a. The error is that of [Asker.Ask] for u.
func (a *Asker) Look(ctx context.Context, u *url.URL, userAgents ...string) (Site, error) {
	origins := Origins(u)
	site := Site{Others: make([]Answer, len(origins)-1)}
	var asking sync.WaitGroup
	for i, other := range origins[1:] {
		asking.Go(func() { site.Others[i], _ = a.Ask(ctx, other) })
	}
	var err error
	if site.Answer, err = a.Ask(ctx, u); err == nil && site.Reason != polite.ReasonUnreachable {
		site.Probes = a.probes(ctx, site.RobotsURL, userAgents)
	}
	asking.Wait()
	if ctx.Err() != nil {
		return site, context.Cause(ctx)
	}
	return site, err
}

// probes returns what came back from a URL when it was first asked.
func (a *Asker) probes(ctx context.Context, at string, userAgents []string) []Probe {
	probes, _ := a.probed.LoadOrStore(at, sync.OnceValue(func() []Probe { return a.probeAll(ctx, at, userAgents) }))
	return probes.(func() []Probe)()
}

// probeAll asks one after the other, as the site wants it.
func (a *Asker) probeAll(ctx context.Context, at string, userAgents []string) []Probe {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	all := []Probe{a.probe(ctx, http.MethodHead, verb.UserAgent(), at)}
	for _, userAgent := range userAgents {
		all = append(all, a.probe(ctx, http.MethodGet, userAgent, at))
	}
	return all
}

// first returns what the origin answered before any redirect.
func (s Site) first() (status int, body []byte) {
	switch {
	case len(s.Hops) > 0:
		return http.StatusFound, nil // or another redirect
	case s.Text != nil:
		return s.Status, s.Text.Body
	default:
		return s.Status, nil
	}
}

// said returns what came back for an origin, as the end of a sentence about its robots.txt.
func said(a Answer) string { return report.Answer(a.Decision) }

// Origins returns the origins at which people expect the site of u: http and https, and with
// www or without. Each has a robots.txt of its own (RFC 9309 §2.3). That of u is the first.
// With a port of its own, at an IP address or at a host like localhost, u is alone.
func Origins(u *url.URL) []*url.URL {
	if o, err := origin.OfURL(u); err == nil {
		u = o.RobotsURL() // its host has one spelling there
	}
	all := []*url.URL{{Scheme: u.Scheme, Host: u.Host}}
	if u.Port() != "" || !isOfInternet(u.Hostname()) {
		return all
	}
	for _, host := range hosts(u.Host) {
		for _, scheme := range []string{"https", "http"} {
			if scheme != u.Scheme || host != u.Host {
				all = append(all, &url.URL{Scheme: scheme, Host: host})
			}
		}
	}
	return all
}

// isOfInternet reports whether a host is a name with a domain.
func isOfInternet(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil && strings.Contains(strings.Trim(host, "."), ".")
}

// hosts returns a host and, if it is a registered domain or the www of one, the other of both.
func hosts(host string) []string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	switch {
	case err == nil && host == domain:
		return []string{host, "www." + host}
	case err == nil && host == "www."+domain:
		return []string{host, domain}
	default:
		return []string{host}
	}
}

// isSameSite reports whether two hosts belong to one registered domain.
func isSameSite(a, b string) bool {
	domainA, errA := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(a))
	domainB, errB := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(b))
	return strings.EqualFold(a, b) || errA == nil && errB == nil && domainA == domainB
}

// An Asker asks origins for robots.txt, as polite does before it fetches a page. Make one
// with [NewAsker]. It is safe for concurrent use.
type Asker struct {
	base      http.RoundTripper
	tap       *robotstxt.Tap
	transport *polite.Transport
	probed    sync.Map // by URL, a func() []Probe: no URL is probed twice
}

// NewAsker returns an Asker that sends its requests through base, and waits for each
// origin no longer than timeout; 0 is for as long as polite waits. If cache is nil, there is
// a new one. A cache that knows an origin already answers for it, without its text.
func NewAsker(base http.RoundTripper, cache *polite.Cache, timeout time.Duration) *Asker {
	if cache == nil {
		cache = new(polite.Cache)
	}
	tap := &robotstxt.Tap{Base: base}
	return &Asker{base: base, tap: tap, transport: &polite.Transport{
		UserAgent: verb.UserAgent(), Base: tap, Cache: cache, Policy: polite.Policy{Timeout: timeout, CheckRedirect: reach.Redirect},
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
	defer reach.Ask(u)()
	d, err := a.transport.Check(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"})
	if err != nil {
		return Answer{}, cmp.Or(context.Cause(ctx), err)
	}
	answer := Answer{Decision: d}
	if robotstxt.IsRead(d) {
		answer.Text = a.tap.Text(d)
	}
	return answer, nil
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
	p.Status = resp.StatusCode
	return p
}

// A Probe is what came back when robots.txt was asked for in another way than crawlers do.
// Redirects are not followed.
type Probe struct {
	Method    string
	UserAgent string
	Status    int    // 0 if no answer came
	Body      []byte // of a 2xx
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

// Table tells what each origin of a site answers, a line each, on a terminal with so many
// columns; 0 is for any number. It is "" if the site has one origin.
func Table(s Site, style terminal.Style, columns int) string {
	if len(s.Others) == 0 {
		return ""
	}
	rows := [][4]string{{"HOST", "RULES", "KEPT FOR", "ANSWER"}, row(s.Answer, s.Answer)}
	for _, other := range s.Others {
		if other.Origin != "" { // else nobody could be asked
			rows = append(rows, row(s.Answer, other))
		}
	}
	var aligned, b strings.Builder
	w := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r[:], "\t"))
	}
	w.Flush() // to memory, which does not fail
	indent := strings.Index(aligned.String(), "RULES")
	for line := range strings.Lines(aligned.String()) {
		line = terminal.Fold(strings.TrimRight(line, " \n"), columns, indent)
		if b.Len() == 0 {
			line = style.Bold(line)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// row tells what an origin of the site of a answers.
func row(a, other Answer) [4]string {
	return [4]string{printable.Text(other.Origin), counts(a, other), kept(other), printable.Text(answer(other))}
}

// counts tells which rules count at an origin, in a word or two.
func counts(a, other Answer) string {
	switch {
	case !robotstxt.IsRead(other.Decision) && other.Allowed:
		return "allows all"
	case !robotstxt.IsRead(other.Decision):
		return "allows none"
	case other.RobotsURL == a.RobotsURL:
		return "its own"
	case relation(a, other) == same:
		return "the same"
	default:
		return "others"
	}
}

// kept tells for how long crawlers keep an answer.
func kept(a Answer) string {
	if !robotstxt.IsRead(a.Decision) {
		return "-"
	}
	return duration(a.lifetime())
}

// answer tells what came back from an origin.
func answer(a Answer) string {
	if !robotstxt.IsRead(a.Decision) {
		return "robots.txt " + said(a)
	}
	parts := []string{fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status))}
	if a.Text != nil {
		parts = append(parts, amount(a))
	}
	if len(a.Hops) > 0 {
		parts = append(parts, "from "+robotstxt.At(a.Decision))
	}
	return strings.Join(parts, ", ")
}

// amount tells how large a file is, measured by what crawlers read.
func amount(a Answer) string {
	text := size(len(a.Text.Body))
	if len(a.Text.Body) > robots.MaxSize {
		text = "more than 500 KiB"
	}
	if a.Text.Packed {
		text += " (compressed)"
	}
	return text
}

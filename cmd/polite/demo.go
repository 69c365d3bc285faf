package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-polite/polite"
)

const demoUsage = `usage: polite demo

Plays three small sites on this machine, lets a client of package polite loose on
them, and shows what it asked for, what was refused, and what the sites saw of it.
Needs no network.
`

const (
	demoAgent = "DemoBot/1.0 (+https://demo.example/bot)"

	shop = "http://shop.example" // has rules
	news = "http://news.example" // has no robots.txt
	down = "http://down.example" // cannot say
)

func demoPages() map[string]page {
	return map[string]page{
		shop + "/robots.txt": {status: 200, body: "" +
			"user-agent: *\n" +
			"disallow: /private/\n" +
			"allow: /private/press\n" +
			"disallow: /*?sort=\n"},
		shop + "/":              {status: 200},
		shop + "/list?sort=1":   {status: 200},
		shop + "/private/plan":  {status: 200},
		shop + "/private/press": {status: 200},
		shop + "/old-plan":      {status: 301, location: "/private/plan"},
		news + "/robots.txt":    {status: 404},
		news + "/private/diary": {status: 200},
		down + "/robots.txt":    {status: 500},
		down + "/":              {status: 200},
	}
}

// A scene is requests that show one thing.
type scene struct {
	title string
	asks  []ask
}

type ask struct{ method, url string }

func scenes() []scene {
	return []scene{
		{"The longest rule that matches decides. Where none does, all is allowed:", []ask{
			{"GET", shop + "/"},
			{"GET", shop + "/private/plan"},
			{"GET", shop + "/private/press"},
			{"GET", shop + "/list?sort=1"},
		}},
		{"So it is for every method, and for each hop of a redirect:", []ask{
			{"HEAD", shop + "/private/plan"},
			{"POST", shop + "/private/plan"},
			{"GET", shop + "/old-plan"},
		}},
		{"A site that has no robots.txt allows all. One that cannot say is left alone:", []ask{
			{"GET", news + "/private/diary"},
			{"GET", down + "/"},
		}},
	}
}

func demo(ctx context.Context, args []string, std stdio) error {
	if err := parseNone("demo", args); err != nil {
		return err
	}
	sites, err := startSites(demoPages())
	if err != nil {
		return err
	}
	defer sites.stop()

	story := newStory(sites)
	story.opening()
	for _, scene := range scenes() {
		if err := story.play(ctx, scene); err != nil {
			return err
		}
	}
	story.showError()
	story.ending()
	_, err = std.out.Write(story.text.Bytes())
	return err
}

// A story is what the demo tells.
type story struct {
	sites   *sites
	crawler *http.Client
	trail   *trail
	text    bytes.Buffer
	hops    []hop // all requests, sent or refused
}

func newStory(sites *sites) *story {
	crawler := polite.Wrap(&http.Client{Transport: sites.transport()}, demoAgent)
	trail := &trail{transport: crawler.Transport.(*polite.Transport), report: report{w: io.Discard}}
	crawler.Transport = trail // to see each hop
	return &story{sites: sites, crawler: crawler, trail: trail}
}

func (s *story) printf(format string, args ...any) { fmt.Fprintf(&s.text, format, args...) }

func (s *story) opening() {
	s.printf("One line makes an http.Client obey robots.txt:\n\n")
	s.printf("    client = polite.Wrap(client, %q)\n\n", demoAgent)
	s.printf("Here it visits three sites, played by a server on this machine. Their /robots.txt:\n\n")
	for _, site := range []string{shop, news, down} {
		robots := s.sites.pages[site+"/robots.txt"]
		s.printf("    %s  %d %s\n", site, robots.status, http.StatusText(robots.status))
		for i, line := range slices.Collect(strings.Lines(robots.body)) {
			s.printf("    %8d  %s", i+1, line)
		}
	}
}

// play makes the requests of a scene.
func (s *story) play(ctx context.Context, scene scene) error {
	s.printf("\n%s\n\n", scene.title)
	for _, ask := range scene.asks {
		hops, err := s.ask(ctx, ask)
		if err != nil {
			return err
		}
		s.hops = append(s.hops, hops...)
		for _, h := range hops {
			s.showHop(h)
		}
	}
	return nil
}

// ask makes a request, and returns it with those that redirects led to. It fails
// if one of them did for another reason than robots.txt.
func (s *story) ask(ctx context.Context, a ask) ([]hop, error) {
	s.trail.hops = nil
	req, err := http.NewRequestWithContext(ctx, a.method, a.url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := s.crawler.Do(req)
	switch {
	case err == nil:
		resp.Body.Close()
	case errors.Is(err, polite.ErrRefused):
		s.trail.fail(cause(err))
	default:
		return nil, err
	}
	return s.trail.hops, nil
}

func (s *story) showHop(h hop) {
	result, method := fmt.Sprint(h.status), h.method
	if h.err != nil {
		result = "NOT SENT"
	}
	if h.from != "" {
		method = "  ->"
	}
	s.printf("    %-4s  %-33s  %-8s  %s\n", method, h.url, result, reason(h.decision))
}

// showError shows the first refusal as a program sees it.
func (s *story) showError() {
	refused := s.refused()
	if len(refused) == 0 {
		return
	}
	s.printf("\nFor what is not sent the caller gets an error that is polite.ErrRefused. The first:\n\n")
	s.printf("    %s\n", fold(refused[0].err.Error(), 76, "\n    "))
}

// ending tells what the sites saw.
func (s *story) ending() {
	arrivals := s.sites.arrivals()
	s.printf("\nThe server's log, with every request that arrived:\n\n")
	for i, a := range arrivals {
		s.printf("    %2d  %-4s  %-33s  %d\n", i+1, a.method, a.url, a.status)
	}
	refused := s.refused()
	robots := arrivals.only(func(a arrival) bool { return strings.HasSuffix(a.url, "/robots.txt") })
	s.printf("\nThe client made %d requests; %d were refused, and %d of those %d arrived.\n",
		len(s.hops), len(refused), arrivals.count(refused), len(refused))
	s.printf("The %d that did arrive are %d for pages and %d for the robots.txt of %d sites.\n",
		len(arrivals), len(arrivals)-len(robots), len(robots), robots.distinct())
}

func (s *story) refused() []hop {
	var refused []hop
	for _, h := range s.hops {
		if h.err != nil {
			refused = append(refused, h)
		}
	}
	return refused
}

// fold breaks s into lines of up to width characters, with separator between.
func fold(s string, width int, separator string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(s) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteString(separator)
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

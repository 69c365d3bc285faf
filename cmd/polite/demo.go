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
	"github.com/go-polite/polite/cmd/polite/internal/redirects"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/spf13/cobra"
)

const (
	demoAgent = "DemoBot/1.0 (+https://demo.example/bot)"

	shop = "http://shop.example" // has rules
	news = "http://news.example" // has no robots.txt
	down = "http://down.example" // answers 500
)

func demoPages() map[string]demoPage {
	return map[string]demoPage{
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

// A scene is some requests that show one thing.
type scene struct {
	title string
	asks  []ask
}

type ask struct{ method, url string }

func scenes() []scene {
	return []scene{
		{"The longest rule that matches decides. If none matches, the page is allowed:", []ask{
			{"GET", shop + "/"},
			{"GET", shop + "/private/plan"},
			{"GET", shop + "/private/press"},
			{"GET", shop + "/list?sort=1"},
		}},
		{"The rules hold for every method, and for each hop of a redirect:", []ask{
			{"HEAD", shop + "/private/plan"},
			{"POST", shop + "/private/plan"},
			{"GET", shop + "/old-plan"},
		}},
		{"A site without robots.txt allows all. If the server fails, nothing is requested:", []ask{
			{"GET", news + "/private/diary"},
			{"GET", down + "/"},
		}},
	}
}

func demoVerb(std verb.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "show how polite works; needs no network", GroupID: forItself, Args: nothing,
		RunE: func(c *cobra.Command, _ []string) error { return demo(c.Context(), std.Out) },
	}
}

func demo(ctx context.Context, w io.Writer) error {
	web, err := openDemoWeb(demoPages())
	if err != nil {
		return err
	}
	defer web.close()

	stage := newStage(web)
	stage.opening()
	for _, scene := range scenes() {
		if err := stage.play(ctx, scene); err != nil {
			return err
		}
	}
	stage.showError()
	stage.ending()
	_, err = w.Write(stage.text.Bytes())
	return err
}

// A stage is where the demo plays.
type stage struct {
	web     *demoWeb
	crawler *http.Client
	trail   *redirects.Trail // sees each hop of the crawler
	text    bytes.Buffer
	hops    []redirects.Hop // all requests, sent or refused
}

func newStage(web *demoWeb) *stage {
	crawler := polite.Wrap(&http.Client{Transport: web.transport()}, demoAgent)
	transport := crawler.Transport.(*polite.Transport)
	transport.Trace.Judged = redirects.Judged
	trail := &redirects.Trail{Transport: transport}
	crawler.Transport = trail
	return &stage{web: web, crawler: crawler, trail: trail}
}

func (s *stage) printf(format string, args ...any) { fmt.Fprintf(&s.text, format, args...) }

func (s *stage) opening() {
	s.printf("One line makes an http.Client obey robots.txt:\n\n")
	s.printf("    client = polite.Wrap(client, %q)\n\n", demoAgent)
	s.printf("Here it visits three sites, played by a server on this machine. Their /robots.txt:\n\n")
	for _, site := range []string{shop, news, down} {
		robots := demoPages()[site+"/robots.txt"]
		s.printf("    %s  %d %s\n", site, robots.status, http.StatusText(robots.status))
		for i, line := range slices.Collect(strings.Lines(robots.body)) {
			s.printf("    %8d  %s", i+1, line)
		}
	}
}

// play makes the requests of a scene.
func (s *stage) play(ctx context.Context, scene scene) error {
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

// ask makes a request, and returns it and the requests to which redirects led. A
// refusal is not an error.
func (s *stage) ask(ctx context.Context, a ask) ([]redirects.Hop, error) {
	req, err := http.NewRequestWithContext(ctx, a.method, a.url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := s.crawler.Do(req)
	switch {
	case err == nil:
		resp.Body.Close()
	case errors.Is(err, polite.ErrRefused):
		s.trail.Fail(verb.Cause(err))
	default:
		return nil, err
	}
	return s.trail.Take(), nil
}

func (s *stage) showHop(h redirects.Hop) {
	result, method := fmt.Sprint(h.Status), h.Method
	if h.Err != nil {
		result = "NOT SENT"
	}
	if h.From != "" {
		method = "  ->"
	}
	s.printf("    %-4s  %-33s  %-8s  %s\n", method, h.URL, result, report.Reason(h.Decision))
}

// showError shows the first refusal as a program sees it.
func (s *stage) showError() {
	refused := s.refused()
	if len(refused) == 0 {
		return
	}
	s.printf("\nFor a request that is not sent, the caller gets an error that is polite.ErrRefused.\nThe first:\n\n")
	s.printf("%s", verb.Wrap("    ", refused[0].Err.Error()))
}

// ending tells what the sites saw.
func (s *stage) ending() {
	log := s.web.arrived()
	s.printf("\nThe server's log, with every request that arrived:\n\n")
	for i, a := range log {
		s.printf("    %2d  %-4s  %-33s  %d\n", i+1, a.method, a.url, a.status)
	}
	refused := s.refused()
	robots, sites := 0, make(map[string]bool)
	for _, a := range log {
		if strings.HasSuffix(a.url, "/robots.txt") {
			robots++
			sites[a.url] = true
		}
	}
	s.printf("\nThe client made %d requests; %d were refused, and %d of the %d arrived.\n",
		len(s.hops), len(refused), arrived(log, refused), len(refused))
	s.printf("The %d requests that arrived are %d for pages and %d for the robots.txt of %d sites.\n",
		len(log), len(log)-robots, robots, len(sites))
}

// arrived returns how many of hops are in the log.
func arrived(log []arrival, hops []redirects.Hop) int {
	n := 0
	for _, h := range hops {
		if slices.ContainsFunc(log, func(a arrival) bool { return a.method == h.Method && a.url == h.URL }) {
			n++
		}
	}
	return n
}

func (s *stage) refused() []redirects.Hop {
	var refused []redirects.Hop
	for _, h := range s.hops {
		if h.Err != nil {
			refused = append(refused, h)
		}
	}
	return refused
}

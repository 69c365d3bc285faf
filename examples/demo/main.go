// Command demo shows how polite works. It plays three small sites on this machine, and visits
// them with a client of package polite. It tells what the client asked for, what was refused,
// and which requests arrived at the sites. It needs no network.
//
//	go run ./examples/demo
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/go-polite/polite"
)

func main() {
	if err := demo(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

const (
	agent = "DemoBot/1.0 (+https://demo.example/bot)"

	shop = "http://shop.example" // has rules
	news = "http://news.example" // has no robots.txt
	down = "http://down.example" // answers 500
)

func pages() map[string]page {
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

func demo(w io.Writer) error {
	web := openWeb(pages())
	defer web.server.Close()
	stage := newStage(web)
	defer stage.crawler.CloseIdleConnections()

	stage.opening()
	for _, scene := range scenes() {
		if err := stage.play(scene); err != nil {
			return err
		}
	}
	stage.showError()
	stage.ending()
	_, err := w.Write(stage.text.Bytes())
	return err
}

// A stage is where the demo plays. It is the RoundTripper of its crawler, and sees each hop.
type stage struct {
	web     *web
	crawler *http.Client
	polite  *polite.Transport
	judged  polite.Decision // what robots.txt means for the hop under way
	text    bytes.Buffer
	hops    []hop // all requests, sent or refused
}

// A hop is a request, and what became of it.
type hop struct {
	method, url string
	redirected  bool // a redirect led to it
	decision    polite.Decision
	status      int   // of the answer; 0 if there was none
	err         error // why it was not sent
}

func newStage(web *web) *stage {
	s := &stage{web: web}
	s.crawler = polite.Wrap(&http.Client{Transport: web.transport()}, agent)
	s.polite = s.crawler.Transport.(*polite.Transport)
	s.polite.Trace.Judged = func(_ *http.Request, r polite.Ruling) { s.judged = r.Decision() }
	s.crawler.Transport = s
	return s
}

// RoundTrip sends a request by polite, and notes what becomes of it.
func (s *stage) RoundTrip(req *http.Request) (*http.Response, error) {
	h := hop{method: req.Method, url: req.URL.String(), redirected: req.Response != nil}
	resp, err := s.polite.RoundTrip(req)
	h.decision, h.err = s.judged, err
	if err == nil {
		h.status = resp.StatusCode
	}
	s.hops = append(s.hops, h)
	return resp, err
}

func (s *stage) printf(format string, args ...any) { fmt.Fprintf(&s.text, format, args...) }

func (s *stage) opening() {
	s.printf("One line makes an http.Client obey robots.txt:\n\n")
	s.printf("    client = polite.Wrap(client, %q)\n\n", agent)
	s.printf("Here it visits three sites, played by a server on this machine. Their /robots.txt:\n\n")
	for _, site := range []string{shop, news, down} {
		robots := pages()[site+"/robots.txt"]
		s.printf("    %s  %d %s\n", site, robots.status, http.StatusText(robots.status))
		for i, line := range slices.Collect(strings.Lines(robots.body)) {
			s.printf("    %8d  %s", i+1, line)
		}
	}
}

// play makes the requests of a scene, and shows them with those to which redirects led.
func (s *stage) play(scene scene) error {
	s.printf("\n%s\n\n", scene.title)
	for _, ask := range scene.asks {
		before := len(s.hops)
		if err := s.ask(ask); err != nil {
			return err
		}
		for _, h := range s.hops[before:] {
			s.show(h)
		}
	}
	return nil
}

// ask makes a request. A refusal is not an error.
func (s *stage) ask(a ask) error {
	req, err := http.NewRequest(a.method, a.url, nil)
	if err != nil {
		return err
	}
	resp, err := s.crawler.Do(req)
	if errors.Is(err, polite.ErrRefused) {
		return nil
	}
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (s *stage) show(h hop) {
	result, method := fmt.Sprint(h.status), h.method
	if h.err != nil {
		result = "NOT SENT"
	}
	if h.redirected {
		method = "  ->"
	}
	s.printf("    %-4s  %-33s  %-8s  %s\n", method, h.url, result, reason(h.decision))
}

// reason tells in a few words what a decision rests on.
func reason(d polite.Decision) string {
	switch rule := d.Rule; d.Reason {
	case polite.ReasonRule:
		return fmt.Sprintf("line %d: %s", rule.Line, rule)
	case polite.ReasonNoRule:
		return fmt.Sprintf("no rule of group %q matches", d.Group)
	default:
		return fmt.Sprintf("robots.txt answered %d %s", d.Status, http.StatusText(d.Status))
	}
}

// showError shows the first refusal as a program sees it.
func (s *stage) showError() {
	refused := s.refused()
	if len(refused) == 0 {
		return
	}
	s.printf("\nFor a request that is not sent, the caller gets an error that is polite.ErrRefused.\nThe first:\n\n")
	s.printf("%s", wrap("   ", refused[0].err.Error()))
}

// wrap returns the words of text in lines of up to 80 characters, after a margin.
func wrap(margin, text string) string {
	var b strings.Builder
	line := margin
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > 80 {
			b.WriteString(line + "\n")
			line = margin
		}
		line += " " + word
	}
	return b.String() + line + "\n"
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
func arrived(log []arrival, hops []hop) int {
	n := 0
	for _, h := range hops {
		if slices.ContainsFunc(log, func(a arrival) bool { return a.method == h.method && a.url == h.url }) {
			n++
		}
	}
	return n
}

func (s *stage) refused() []hop {
	var refused []hop
	for _, h := range s.hops {
		if h.err != nil {
			refused = append(refused, h)
		}
	}
	return refused
}

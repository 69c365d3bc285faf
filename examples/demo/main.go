// Command demo shows how polite works. It plays three small sites on this machine, and visits
// them with a client of package polite. It tells what the client asked for, what was refused,
// and which requests arrived at the sites. It needs no network.
//
//	go run ./examples/demo
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// A page is an answer of a site: a status, and a body or the path that it redirects to.
type page struct {
	status int
	text   string
}

var pages = map[string]page{
	shop + "/robots.txt":    {200, "user-agent: *\ndisallow: /private/\nallow: /private/press\ndisallow: /*?sort=\n"},
	shop + "/":              {200, ""},
	shop + "/list?sort=1":   {200, ""},
	shop + "/private/plan":  {200, ""},
	shop + "/private/press": {200, ""},
	shop + "/old-plan":      {301, "/private/plan"},
	news + "/robots.txt":    {404, ""},
	news + "/private/diary": {200, ""},
	down + "/robots.txt":    {500, ""},
	down + "/":              {200, ""},
}

// scenes are titles, and the requests that show what they say.
var scenes = [][]string{
	{"The longest rule that matches decides. If none matches, the page is allowed:",
		"GET " + shop + "/", "GET " + shop + "/private/plan", "GET " + shop + "/private/press", "GET " + shop + "/list?sort=1"},
	{"The rules hold for every method, and for each hop of a redirect:",
		"HEAD " + shop + "/private/plan", "POST " + shop + "/private/plan", "GET " + shop + "/old-plan"},
	{"A site without robots.txt allows all. If the server fails, nothing is requested:",
		"GET " + news + "/private/diary", "GET " + down + "/"},
}

// A web is the sites, played by one server. It has a line for each request that has arrived.
type web struct {
	mu  sync.Mutex
	log []string
}

func (w *web) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	url := "http://" + req.Host + req.RequestURI
	answer, ok := pages[url]
	if !ok {
		answer.status, url = http.StatusNotFound, strconv.QuoteToASCII(url) // anyone on this machine may send it
	}
	w.mu.Lock()
	w.log = append(w.log, fmt.Sprintf("%-4s  %-33s  %d", req.Method, url, answer.status))
	w.mu.Unlock()
	if answer.status == http.StatusMovedPermanently {
		rw.Header().Set("Location", answer.text)
	}
	rw.WriteHeader(answer.status)
	io.WriteString(rw, answer.text)
}

func demo(out io.Writer) error {
	sites, text := new(web), new(bytes.Buffer)
	server := httptest.NewServer(sites)
	defer server.Close()
	client := polite.Wrap(&http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String()) // every host is here
	}}}, agent)
	defer client.CloseIdleConnections()

	fmt.Fprintf(text, "One line makes an http.Client obey robots.txt:\n\n    client = polite.Wrap(client, %q)\n\n", agent)
	fmt.Fprintf(text, "Here it visits three sites, played by a server on this machine. Their /robots.txt:\n\n")
	for _, site := range []string{shop, news, down} {
		robots := pages[site+"/robots.txt"]
		fmt.Fprintf(text, "    %s  %d %s\n", site, robots.status, http.StatusText(robots.status))
		for i, line := range slices.Collect(strings.Lines(robots.text)) {
			fmt.Fprintf(text, "    %8d  %s", i+1, line)
		}
	}
	made, refused := play(client, text)
	if len(refused) > 0 {
		fmt.Fprintf(text, "\nFor a request that is not sent, the caller gets an error that is polite.ErrRefused.\nThe first:\n\n    %v\n", refused[0])
	}
	fmt.Fprintf(text, "\nThe server's log, with every request that arrived:\n\n")
	sites.mu.Lock()
	defer sites.mu.Unlock()
	for i, line := range sites.log {
		fmt.Fprintf(text, "    %2d  %s\n", i+1, line)
	}
	fmt.Fprintf(text, "\nThe client made %d requests; %d were refused. %d arrived, with those for robots.txt.\n", made, len(refused), len(sites.log))
	_, err := out.Write(text.Bytes())
	return err
}

// play makes the requests of all scenes, and writes what became of each hop. It returns how many hops
// there were, and the refusals.
func play(client *http.Client, out io.Writer) (hops int, refused []error) {
	var judged polite.Decision
	tell := func(req *http.Request, result any) {
		method := req.Method
		if req.Response != nil { // a redirect led to it
			method = "  ->"
		}
		hops++
		fmt.Fprintf(out, "    %-4s  %-33s  %-8v  %s\n", method, req.URL, result, why(judged))
	}
	client.Transport.(*polite.Transport).Trace = polite.Trace{
		Judged:   func(_ *http.Request, r polite.Ruling) { judged = r.Decision() },
		Answered: func(req *http.Request, resp *http.Response) { tell(req, resp.StatusCode) },
		Refused: func(req *http.Request, refusal error) {
			refused = append(refused, refusal)
			tell(req, "NOT SENT")
		},
	}
	for _, scene := range scenes {
		fmt.Fprintf(out, "\n%s\n\n", scene[0])
		for _, request := range scene[1:] {
			method, url, _ := strings.Cut(request, " ")
			req, _ := http.NewRequest(method, url, nil)
			if resp, err := client.Do(req); err == nil {
				resp.Body.Close()
			} else if !errors.Is(err, polite.ErrRefused) {
				fmt.Fprintln(out, err)
			}
		}
	}
	return hops, refused
}

// why tells in a few words what a decision rests on.
func why(d polite.Decision) string {
	switch rule := d.Rule; d.Reason {
	case polite.ReasonRule:
		return fmt.Sprintf("line %d: %s", rule.Line, rule)
	case polite.ReasonNoRule:
		return fmt.Sprintf("no rule of group %q matches", d.Group)
	default:
		return fmt.Sprintf("robots.txt answered %d %s", d.Status, http.StatusText(d.Status))
	}
}

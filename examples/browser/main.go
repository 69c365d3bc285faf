// Command browser opens pages in Chromium as a polite crawler, and prints their titles:
//
//	go run . https://example.com/
//
// The Fetch domain of the DevTools protocol pauses each request of the browser, and Transport.Do
// tells when it may go on: documents, frames, scripts, images, fetches, beacons, prefetches,
// workers, popups, downloads, each hop of a redirect. It does not pause WebSockets, WebTransport,
// WebRTC, CORS preflights, and connections that are made ahead without a request. The gap counts
// from the moment when the browser goes on with a request. It may still have to connect then, so
// requests can arrive somewhat closer together.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/go-polite/polite"
)

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

func main() {
	tab, stop := newBrowser(context.Background())
	defer stop()
	if err := guard(tab, &polite.Transport{UserAgent: userAgent}, func(err error) { log.Print(err) }); err != nil {
		log.Fatal(err)
	}
	for _, url := range os.Args[1:] {
		if title, err := open(tab, url); err != nil {
			log.Print(url, ": ", err)
		} else {
			fmt.Println(url, title)
		}
	}
}

// newBrowser returns a tab of a new browser. All that the browser sends has userAgent.
func newBrowser(ctx context.Context, more ...chromedp.ExecAllocatorOption) (tab context.Context, stop func()) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.UserAgent(userAgent),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-domain-reliability", true))
	ctx, stop = chromedp.NewExecAllocator(ctx, append(options, more...)...)
	tab, _ = chromedp.NewContext(ctx) // ends with the browser
	return tab, stop
}

// open opens a page, and returns its title.
func open(tab context.Context, url string) (title string, err error) {
	if err := chromedp.Do(tab, chromedp.Navigate(url)); err != nil {
		return "", err
	}
	return chromedp.Run(tab, chromedp.Title())
}

// A gate lets each request of a browser pass when its turn has come.
type gate struct {
	tab       context.Context // of the browser
	transport *polite.Transport
	refused   func(error)
	answers   sync.Map // of chan fetch.EventRequestPaused, by the ID of a request that was sent
}

// guard puts a gate before all that the browser of a tab sends from now on, in other tabs, too,
// until tab ends. It calls refused with the error of each request that does not pass.
func guard(tab context.Context, transport *polite.Transport, refused func(error)) error {
	if err := chromedp.Do(tab); err != nil { // starts the browser
		return err
	}
	g := &gate{tab: tab, transport: transport, refused: refused}
	go func() {
		for e, err := range chromedp.BrowserEvents(tab, fetch.RequestPaused) {
			if err != nil {
				return
			}
			if answer, ok := g.answers.LoadAndDelete(e.RequestID); ok {
				answer.(chan fetch.EventRequestPaused) <- e // has room for it
			} else {
				go g.judge(e)
			}
		}
	}()
	_, err := chromedp.CallBrowser(tab, fetch.Enable, fetch.EnableParams{})
	return err
}

// judge lets a request that the browser has paused pass when it may, and fails it if it must not.
func (g *gate) judge(e fetch.EventRequestPaused) {
	isAnswer := func() bool { return e.ResponseStatusCode != 0 || e.ResponseErrorReason != "" }
	req, err := http.NewRequestWithContext(g.tab, e.Request.Method, e.Request.URL, nil) // its body stays in the browser
	if err == nil && !isAnswer() {
		for name, value := range e.Request.Headers {
			req.Header.Set(name, fmt.Sprint(value))
		}
		_, err = g.transport.Do(req, func(out *http.Request) (*http.Response, error) { return g.send(&e, out) })
	}
	reason := e.ResponseErrorReason
	if !isAnswer() { // of an answer, polite has learnt
		reason = network.ErrorReasonFailed
		if errors.Is(err, polite.ErrRefused) {
			reason = network.ErrorReasonBlockedByClient
		}
		g.refused(err)
		go chromedp.Call(g.tab, runtime.Evaluate, runtime.EvaluateParams{Expression: fmt.Sprintf("console.warn(%q)", err)})
	}
	if reason == "" {
		chromedp.CallBrowser(g.tab, fetch.ContinueResponse, fetch.ContinueResponseParams{RequestID: e.RequestID})
	} else {
		chromedp.CallBrowser(g.tab, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: reason})
	}
}

// send lets the browser send what it has paused, as out says. e becomes the answer.
func (g *gate) send(e *fetch.EventRequestPaused, out *http.Request) (*http.Response, error) {
	answer := make(chan fetch.EventRequestPaused, 1)
	g.answers.Store(e.RequestID, answer)
	defer g.answers.Delete(e.RequestID)
	params := fetch.ContinueRequestParams{RequestID: e.RequestID, InterceptResponse: new(true)}
	if name := out.UserAgent(); name != fmt.Sprint(e.Request.Headers["User-Agent"]) { // the page has made one up
		for name := range out.Header {
			params.Headers = append(params.Headers, &fetch.HeaderEntry{Name: name, Value: out.Header.Get(name)})
		}
	}
	if _, err := chromedp.CallBrowser(g.tab, fetch.ContinueRequest, params); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(out.Context(), time.Minute) // the browser does not tell when a page gives a request up
	defer cancel()
	select {
	case *e = <-answer:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if e.ResponseErrorReason != "" {
		return nil, fmt.Errorf("the browser says %s", e.ResponseErrorReason)
	}
	resp := &http.Response{StatusCode: int(e.ResponseStatusCode), Header: make(http.Header)}
	for _, field := range e.ResponseHeaders {
		resp.Header.Add(field.Name, field.Value)
	}
	return resp, nil
}

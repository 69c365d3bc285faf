package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/go-polite/polite"
)

// A gate lets each request of a browser pass when its turn has come.
type gate struct {
	tab       context.Context // of the browser
	transport *polite.Transport
	refused   func(error)

	mu    sync.Mutex
	sends map[fetch.RequestID]chan<- *fetch.EventRequestPaused // who waits for the answer to a request
}

// patience is how long the browser may take to answer. It does not tell when a page gives a
// request up.
const patience = time.Minute

// guard puts a gate before all that the browser of a tab sends from now on, in other tabs, too,
// until the context of the tab ends. It calls refused with the error of each request that does
// not pass.
func guard(tab context.Context, transport *polite.Transport, refused func(error)) error {
	if err := chromedp.Do(tab); err != nil { // starts the browser
		return err
	}
	g := &gate{tab: tab, transport: transport, refused: refused, sends: make(map[fetch.RequestID]chan<- *fetch.EventRequestPaused)}
	go g.watch(chromedp.BrowserEvents(tab, fetch.RequestPaused))
	_, err := chromedp.CallBrowser(tab, fetch.Enable, fetch.EnableParams{})
	return err
}

// watch looks at all that the browser pauses: requests, and the answers to those that passed.
func (g *gate) watch(events iter.Seq2[fetch.EventRequestPaused, error]) {
	for event, err := range events {
		e := &event
		switch {
		case err != nil:
			return
		case e.ResponseStatusCode == 0 && e.ResponseErrorReason == "":
			go g.judge(e)
		case !g.hand(e):
			go g.release(e)
		}
	}
}

// judge lets a request pass when it may, and fails it if it must not.
func (g *gate) judge(e *fetch.EventRequestPaused) {
	var answer *fetch.EventRequestPaused
	req, err := requestOf(g.tab, e)
	if err == nil {
		_, err = g.transport.Do(req, func(out *http.Request) (*http.Response, error) {
			if answer, err = g.send(e, out); err != nil {
				return nil, err
			}
			return responseOf(answer)
		})
	}
	if answer != nil {
		g.release(answer) // after Do has learnt from it
	} else if err != nil {
		g.fail(e, err)
	}
}

// requestOf returns the request that the browser has paused. Its body stays in the browser.
func requestOf(ctx context.Context, e *fetch.EventRequestPaused) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, e.Request.Method, e.Request.URL, nil)
	if err != nil {
		return nil, err
	}
	for name, value := range e.Request.Headers {
		req.Header.Set(name, fmt.Sprint(value))
	}
	return req, nil
}

// send lets the browser send what it has paused, as out says, and returns the answer.
func (g *gate) send(e *fetch.EventRequestPaused, out *http.Request) (*fetch.EventRequestPaused, error) {
	answered := make(chan *fetch.EventRequestPaused, 1)
	g.expect(e.RequestID, answered)
	defer g.expect(e.RequestID, nil)
	pause := true
	params := fetch.ContinueRequestParams{RequestID: e.RequestID, InterceptResponse: &pause}
	if name := out.UserAgent(); name != fmt.Sprint(e.Request.Headers["User-Agent"]) { // the page has made one up
		for name := range out.Header {
			params.Headers = append(params.Headers, &fetch.HeaderEntry{Name: name, Value: out.Header.Get(name)})
		}
	}
	if _, err := chromedp.CallBrowser(g.tab, fetch.ContinueRequest, params); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(out.Context(), patience, errNoAnswer)
	defer cancel()
	select {
	case answer := <-answered:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

var errNoAnswer = fmt.Errorf("the browser has no answer after %v", patience)

// responseOf returns what polite learns from: the status and the header.
func responseOf(answer *fetch.EventRequestPaused) (*http.Response, error) {
	if answer.ResponseErrorReason != "" {
		return nil, fmt.Errorf("the browser says %s", answer.ResponseErrorReason)
	}
	resp := &http.Response{StatusCode: int(answer.ResponseStatusCode), Header: make(http.Header)}
	for _, field := range answer.ResponseHeaders {
		resp.Header.Add(field.Name, field.Value)
	}
	return resp, nil
}

// expect says who waits for the answer to a request; nil is nobody.
func (g *gate) expect(id fetch.RequestID, by chan<- *fetch.EventRequestPaused) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if by == nil {
		delete(g.sends, id)
	} else {
		g.sends[id] = by
	}
}

// hand hands an answer to who waits for it, and reports whether anyone does.
func (g *gate) hand(answer *fetch.EventRequestPaused) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	by, ok := g.sends[answer.RequestID]
	if ok {
		delete(g.sends, answer.RequestID)
		by <- answer // has room for it
	}
	return ok
}

// release gives the page the answer. The page may have given it up meanwhile.
func (g *gate) release(answer *fetch.EventRequestPaused) {
	if reason := answer.ResponseErrorReason; reason != "" {
		chromedp.CallBrowser(g.tab, fetch.FailRequest, fetch.FailRequestParams{RequestID: answer.RequestID, ErrorReason: reason})
		return
	}
	chromedp.CallBrowser(g.tab, fetch.ContinueResponse, fetch.ContinueResponseParams{RequestID: answer.RequestID})
}

// fail ends a request that does not pass. The reason stands in the console of the tab.
func (g *gate) fail(e *fetch.EventRequestPaused, err error) {
	reason := network.ErrorReasonFailed
	if errors.Is(err, polite.ErrRefused) {
		reason = network.ErrorReasonBlockedByClient
	}
	chromedp.CallBrowser(g.tab, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: reason})
	g.refused(err)
	if text, err := json.Marshal(err.Error()); err == nil {
		ctx, cancel := context.WithTimeout(g.tab, patience) // a page can be too busy to answer
		defer cancel()
		chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: "console.warn(" + string(text) + ")"})
	}
}

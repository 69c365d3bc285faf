package request

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots/usage"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program sends what Do tells it to, as a browser or a command does. Its connections are its
// own.
type program struct {
	web     http.RoundTripper
	start   time.Duration                     // what it takes until it can write the first request
	asks    bool                              // it asks once more before it writes
	answers func(*http.Response, error) error // changes the response, and returns the error; may be nil

	calls atomic.Int32
}

func (p *program) send(req *http.Request) (*http.Response, error) {
	if p.calls.Add(1) == 1 {
		time.Sleep(p.start)
	}
	if p.asks {
		if err := ready(req); err != nil {
			return nil, err
		}
	}
	resp, err := p.web.RoundTrip(req.WithContext(context.Background()))
	if p.answers != nil {
		err = p.answers(resp, err)
	}
	return resp, err
}

func doRequest(t *testing.T, url string) *http.Request {
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	require.NoError(t, err)
	return req
}

// done returns the status of what Do returns.
func done(transport *polite.Transport, req *http.Request, send func(*http.Request) (*http.Response, error)) (int, error) {
	resp, err := transport.Do(req, send)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// doing runs test with a program at a site that asks for robots.
func doing(t *testing.T, robots string, test func(t *testing.T, web *origintest.Server, transport *polite.Transport, p *program)) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text(robots))
		transport := conduct.NewTransport(t, web)
		test(t, web, transport, &program{web: web.Transport(t)})
	})
}

// What RoundTrip refuses, Do refuses: nothing sends it, and its body is closed.
func TestDoJudges(t *testing.T) {
	for name, test := range map[string]struct {
		robots, url string
		edit        func(*polite.Transport)
		err         error
		log         string
	}{
		"allowed":       {robots: conduct.Rules, url: "http://example.com/public", log: "GET http://example.com/robots.txt\nPOST http://example.com/public\n"},
		"a rule":        {robots: conduct.Rules, url: "http://example.com/private", err: polite.ErrDisallowed, log: "GET http://example.com/robots.txt\n"},
		"no rules":      {url: "http://lost.example/", err: polite.ErrNoRules},
		"a use":         {robots: "content-signal: ai-train=no\nuser-agent: *\nallow: /\n", url: "http://example.com/", edit: func(tr *polite.Transport) { tr.Policy.Purposes = []usage.Use{usage.TrainAI} }, err: polite.ErrUse, log: "GET http://example.com/robots.txt\n"},
		"too late":      {robots: delayed10, url: "http://example.com/", edit: func(tr *polite.Transport) { tr.Pace = polite.Pace{RefuseLonger: true, MaxDelay: time.Second} }, err: polite.ErrDelayed, log: "GET http://example.com/robots.txt\n"},
		"no User-Agent": {robots: conduct.Rules, url: "http://example.com/", edit: func(tr *polite.Transport) { tr.UserAgent = "" }, err: errAny},
	} {
		t.Run(name, func(t *testing.T) {
			doing(t, test.robots, func(t *testing.T, web *origintest.Server, transport *polite.Transport, p *program) {
				web.Lose("lost.example")
				if test.edit != nil {
					test.edit(transport)
				}
				body := conduct.NewBody()
				req, err := http.NewRequestWithContext(t.Context(), "POST", test.url, body)
				require.NoError(t, err)
				_, err = done(transport, req, p.send)
				if test.err == errAny {
					assert.Error(t, err)
				} else {
					assert.ErrorIs(t, err, test.err)
				}
				assert.EqualValues(t, 1, body.Closed.Load())
				assert.Equal(t, err == nil, p.calls.Load() == 1)
				assert.Equal(t, test.log, web.Log().String())
			})
		})
	}
}

const delayed10 = "user-agent: *\ncrawl-delay: 10\n"

var errAny = errors.New("any error")

// send gets what Base would get, and req stays as it is.
func TestDoHandsOnWhatBaseGets(t *testing.T) {
	doing(t, conduct.Rules, func(t *testing.T, web *origintest.Server, transport *polite.Transport, p *program) {
		req := doRequest(t, "http://EXAMPLE.com/public")
		req.Header.Set("User-Agent", "Mozilla/5.0 (a browser)")
		req.Header.Set("Accept", "text/html")
		resp, err := transport.Do(req, func(out *http.Request) (*http.Response, error) {
			assert.Equal(t, http.Header{"User-Agent": {conduct.UserAgent}, "Accept": {"text/html"}}, out.Header)
			assert.Equal(t, "example.com", out.Host)
			return &http.Response{StatusCode: 200, Request: out}, nil
		})
		require.NoError(t, err)
		assert.Equal(t, http.NoBody, resp.Body)
		assert.Equal(t, "Mozilla/5.0 (a browser)", req.Header.Get("User-Agent"))
		assert.Equal(t, t.Context(), resp.Request.Context(), "not that of the gate")
	})
}

// The gap counts from the call of send, or from the write if send asks once more.
func TestDoKeepsTheGap(t *testing.T) {
	for asks, want := range map[bool]time.Duration{false: 99 * time.Millisecond, true: 300 * time.Millisecond} {
		t.Run(fmt.Sprint("asks: ", asks), func(t *testing.T) {
			doing(t, "user-agent: *\ncrawl-delay: 0.3\n", func(t *testing.T, web *origintest.Server, transport *polite.Transport, p *program) {
				p.asks, p.start = asks, 201*time.Millisecond
				conduct.Know(t, transport, "example.com")
				var all sync.WaitGroup
				for i := range 4 {
					all.Go(func() {
						_, err := done(transport, doRequest(t, fmt.Sprint("http://example.com/", i)), p.send)
						assert.NoError(t, err)
					})
					synctest.Wait()
				}
				all.Wait()
				require.Len(t, web.Log().Pages(), 4)
				assert.Equal(t, want, shortest(web.Log().Pages()))
			})
		})
	}
}

// Requests that others send take turns with those that Base sends, also if Base connects slowly,
// and in a fleet, where a request goes to Base before its start.
func TestDoTakesTurnsWithRoundTrip(t *testing.T) {
	for _, asks := range []bool{false, true} {
		for _, processes := range []int{1, 2} {
			t.Run(fmt.Sprintf("asks: %t, %d processes", asks, processes), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { mixed(t, asks, processes) })
			})
		}
	}
}

func mixed(t *testing.T, asks bool, processes int) {
	web, turns := origintest.NewInMemory(t), new(memstore.Turns)
	web.Robots("example.com", conduct.Delayed(2))
	var all sync.WaitGroup
	for process := range processes {
		transport := conduct.Sharing(t, web, turns)
		base := transport.Base.(*http.Transport)
		base.DisableKeepAlives = true
		(&conduct.Connects{Takes: conduct.Always(900 * time.Millisecond)}).Slowing(base)
		p := &program{web: web.Transport(t), asks: asks}
		for i := range 10 {
			send := p.send
			if i%2 == 1 {
				send = nil
			}
			all.Go(func() {
				_, err := done(transport, doRequest(t, fmt.Sprintf("http://example.com/%d/%d", process, i)), send)
				assert.NoError(t, err)
			})
		}
	}
	all.Wait()
	require.Len(t, web.Log().Pages(), 10*processes)
	assert.GreaterOrEqual(t, shortest(web.Log().Pages()), 2*time.Second)
	assert.Len(t, web.Log().Robots(), processes)
}

// A break that begins before send writes holds for it, also if nothing else was under way when
// it was called. It is called again after the break.
func TestDoInBreak(t *testing.T) {
	doing(t, "", func(t *testing.T, web *origintest.Server, transport *polite.Transport, p *program) {
		web.Page("example.com", "/busy", origintest.Status(503, "Retry-After", "60"))
		p.asks, p.start = true, 2*time.Second
		for range 2 { // the site is known, and was asked just now
			_, err := done(transport, doRequest(t, "http://example.com/"), (&program{web: p.web, asks: true}).send)
			require.NoError(t, err)
		}
		var slow sync.WaitGroup
		slow.Go(func() {
			_, err := done(transport, doRequest(t, "http://example.com/slow"), p.send)
			assert.NoError(t, err)
		})
		synctest.Wait()
		_, err := conduct.Get(conduct.Client(transport), "http://example.com/busy")
		require.NoError(t, err)
		slow.Wait()
		log := web.Log().Pages()
		require.Len(t, log, 4)
		assert.Equal(t, "/slow", log[3].URI)
		assert.GreaterOrEqual(t, log[3].Time.Sub(log[2].Time), time.Minute)
		assert.EqualValues(t, 2, p.calls.Load())
	})
}

// However send ends, the slot of its request is free afterwards.
func TestDoFreesItsSlot(t *testing.T) {
	for name, send := range map[string]func(*http.Request) (*http.Response, error){
		"no body":       func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: 200}, nil },
		"an empty body": func(*http.Request) (*http.Response, error) { return &http.Response{Body: http.NoBody}, nil },
		"an error":      func(*http.Request) (*http.Response, error) { return nil, errAny },
		"nothing":       func(*http.Request) (*http.Response, error) { return nil, nil },
		"a panic":       func(*http.Request) (*http.Response, error) { panic("send") },
		"not written":   func(req *http.Request) (*http.Response, error) { return nil, errors.Join(ready(req), errAny) },
	} {
		t.Run(name, func(t *testing.T) {
			doing(t, conduct.Rules, func(t *testing.T, web *origintest.Server, transport *polite.Transport, p *program) {
				transport.Pace.Concurrency = 1
				func() {
					defer func() { assert.Equal(t, name == "a panic", recover() != nil) }()
					_, err := transport.Do(doRequest(t, "http://example.com/"), send)
					if name == "nothing" {
						assert.EqualError(t, err, "polite: send has returned neither a response nor an error: return one of them")
					}
				}()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				_, err := done(transport, doRequest(t, "http://example.com/").WithContext(ctx), p.send)
				assert.NoError(t, err)
			})
		})
	}
}

// A send that leads back to the Transport would wait for itself. It is an error, also if Base is
// known not to lead back.
func TestDoLoop(t *testing.T) {
	doing(t, conduct.Rules, func(t *testing.T, web *origintest.Server, transport *polite.Transport, _ *program) {
		transport.Pace.Concurrency = 1
		_, err := conduct.Get(conduct.Client(transport), "http://example.com/")
		require.NoError(t, err)
		for name, send := range map[string]func(*http.Request) (*http.Response, error){
			"RoundTrip": transport.RoundTrip,
			"Do":        func(req *http.Request) (*http.Response, error) { return transport.Do(req, nil) },
		} {
			_, err = done(transport, doRequest(t, "http://example.com/"), send)
			assert.ErrorContains(t, err, "send leads back to the Transport", name)
		}
		assert.Len(t, web.Log().Pages(), 1)
	})
}

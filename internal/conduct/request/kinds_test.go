package request

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/public"
	"github.com/go-polite/polite/store"
	"github.com/hashicorp/go-retryablehttp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// noTurns is Turns that fail.
type noTurns struct{ store.Turns }

var errNoTurns = errors.New("connection refused")

func (noTurns) Take(context.Context, string, store.Ask) (store.Grant, error) {
	return store.Grant{}, errNoTurns
}
func (noTurns) Watch(context.Context, func(store.Change)) error { return errNoTurns }

// A trouble is a request that polite refuses, and what the refusal says.
type trouble struct {
	name      string
	url       string
	transport func(*polite.Transport)
	is        []error // what errors.Is finds
	reason    polite.Reason
	cause     polite.Cause // of a delay
	text      string       // a part of it
}

var kinds = []error{
	polite.ErrDisallowed, polite.ErrNoRules, polite.ErrDelayed, polite.ErrUse,
	polite.ErrStore, public.ErrPrivate, polite.ErrNoHost,
	context.DeadlineExceeded, io.EOF, errNoTurns,
}

var troubles = []trouble{
	{"disallowed", "http://example.com/private", nil, []error{polite.ErrDisallowed}, polite.ReasonRule, "",
		`/private is disallowed for ExampleBot by "disallow: /private", line 2 of http://example.com/robots.txt (group "*")`},
	{"status", "http://down.example/", nil, []error{polite.ErrNoRules}, polite.ReasonUnreachable, "",
		"was not sent: http://down.example/robots.txt answered 503 Service Unavailable; try again after TIME"},
	{"tarpit", "http://tarpit.example/", nil, []error{polite.ErrNoRules, context.DeadlineExceeded}, polite.ReasonUnreachable, "",
		"could not be fetched: no answer within 1s: context deadline exceeded; try again after TIME"},
	{"no host", "http://lost.example/", nil, []error{polite.ErrNoRules, polite.ErrNoHost}, polite.ReasonUnreachable, "",
		"could not be fetched: dial tcp: lookup lost.example: no such host; correct the URL, or leave the site alone"},
	{"redirect to a private address", "http://inward.example/", nil, []error{polite.ErrNoRules, public.ErrPrivate}, polite.ReasonUnreachable, "",
		"redirected to http://10.0.0.1/robots.txt: from a public host to one that is not; leave the site alone"},
	{"name of a private address", "http://rebound.example/", func(t *polite.Transport) {
		t.Base = origintest.RoundTripper(func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: public.Control("tcp", "10.0.0.1:80", nil)}
		})
	}, []error{polite.ErrNoRules, public.ErrPrivate}, polite.ReasonUnreachable, "", "not an address of the public internet; leave the site alone"},
	{"no answer", "http://silent.example/", nil, []error{polite.ErrNoRules, io.EOF}, polite.ReasonUnreachable, "",
		"the server closed the connection without an answer: EOF; try again after TIME"},
	{"late", "http://slow.example/", func(t *polite.Transport) { t.Pace = polite.Pace{MaxDelay: 1, RefuseLonger: true} },
		[]error{polite.ErrDelayed}, polite.ReasonDelayed, polite.CauseCrawlDelay,
		"was not sent: the site asks for a delay of 10s, and MaxDelay is 1ns; send it again in "},
	{"robots.txt has not come", "http://tarpit.example/", func(t *polite.Transport) { t.Pace.MaxWait = time.Millisecond },
		[]error{polite.ErrDelayed}, polite.ReasonUnknown, polite.CauseDeadline,
		"was not sent: robots.txt has not come within 1ms; send it again in 1s, at TIME"},
	{"its turn comes too late", "http://example.com/", second(polite.Pace{MinDelay: time.Hour, MaxWait: time.Minute}),
		[]error{polite.ErrDelayed}, polite.ReasonDelayed, polite.CauseDeadline, "can only wait for 1m0s"},
	{"no queue", "http://example.com/", second(polite.Pace{MinDelay: time.Hour, MaxQueue: polite.NoQueue}),
		[]error{polite.ErrDelayed}, polite.ReasonDelayed, polite.CauseQueue, "no request may wait here (MaxQueue)"},
	{"turns fail", "http://example.com/", func(t *polite.Transport) { t.Cache = &polite.Cache{Turns: noTurns{}} },
		[]error{polite.ErrDelayed, polite.ErrStore, errNoTurns}, polite.ReasonDelayed, polite.CauseStore,
		"was not sent: its turn could not be reserved: connection refused; look after the store, and send it again in 1s, at TIME"},
}

// second makes the request the second one of a lane with a Pace.
func second(pace polite.Pace) func(*polite.Transport) {
	return func(t *polite.Transport) {
		t.Pace = pace
		conduct.Get(conduct.Client(t), "http://example.com/")
	}
}

// errors.Is tells what is the matter, and what is not. The Decision and the log say it in a word, and the text says
// what to do. The log warns if it is for the lack of turns.
func TestRefusals(t *testing.T) {
	for _, test := range troubles {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", origintest.Text(conduct.Rules))
				web.Robots("down.example", origintest.Status(503))
				web.Robots("tarpit.example", origintest.Hang)
				web.Lose("lost.example")
				web.Robots("inward.example", origintest.Redirect("http://10.0.0.1/robots.txt"))
				web.Robots("silent.example", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
				web.Robots("slow.example", conduct.Delayed(10))
				var log conduct.Log
				transport := conduct.NewTransport(t, web)
				transport.Logger = log.Logger(slog.LevelInfo)
				if test.transport != nil {
					test.transport(transport)
					web.Take()
				}
				_, err := conduct.Get(conduct.Client(transport), test.url)
				assert.Empty(t, web.Log().Pages())

				var is []error
				for _, kind := range kinds {
					if errors.Is(err, kind) {
						is = append(is, kind)
					}
				}
				assert.ErrorIs(t, err, polite.ErrRefused)
				assert.Equal(t, test.is, is, "%v", err)
				lookUp, ok := errors.AsType[*net.DNSError](err)
				assert.Equal(t, test.name == "no host", ok && lookUp.IsNotFound)
				d, ok := polite.DecisionOf(err)
				require.True(t, ok)
				assert.Equal(t, test.reason, d.Reason)
				if late, ok := errors.AsType[*polite.DelayError](err); assert.Equal(t, test.cause != "", ok) && ok {
					assert.Equal(t, test.cause, late.Cause)
				}
				assert.Contains(t, regexp.MustCompile(`2000-\S+`).ReplaceAllString(err.Error(), "TIME"), test.text)
				assert.Contains(t, log.String(), fmt.Sprintf("msg=\"refused a request\" reason=%s url=%s ", test.reason, test.url))
				assert.Equal(t, test.name == "turns fail", strings.Contains(log.String(), `level=WARN msg="turns fail: requests that need a turn are refused" error="connection refused"`))
				assertPermanent(t, err)
				transport.CloseIdleConnections()
			})
		})
	}
}

// Clients that try again by themselves take a refusal for permanent, by the methods that
// they ask for: net/http's url.Error asks for Temporary and Timeout, as many do, AWS's
// SDK asks for RetryableError, and Google's asks each error of the chain for Temporary.
func assertPermanent(t *testing.T, err error) {
	outer, ok := errors.AsType[*url.Error](err)
	require.True(t, ok)
	assert.False(t, outer.Temporary())
	assert.False(t, outer.Timeout())
	for link := err; link != nil; link = errors.Unwrap(link) {
		if temporary, ok := link.(interface{ Temporary() bool }); ok {
			assert.False(t, temporary.Temporary(), "%T", link)
		}
	}
	var retryable interface{ RetryableError() bool }
	require.ErrorAs(t, fmt.Errorf("request send failed, %w", err), &retryable)
	assert.False(t, retryable.RetryableError())
	var network net.Error
	require.ErrorAs(t, outer.Err, &network)
	assert.False(t, network.Timeout())
}

// CheckRetry lets a client come back when polite would send the request. If nobody knows how long its context lasts,
// or if a rule refuses it, the client gets the refusal at once.
func TestCheckRetryComesBack(t *testing.T) {
	for _, test := range []struct {
		name, url string
		deadline  time.Duration // 0: none
		took      time.Duration
		is        error // nil: it is sent
	}{
		{"the turn comes", "http://slow.example/2", time.Minute, 10 * time.Second, nil},
		{"without a deadline", "http://slow.example/2", 0, 0, polite.ErrDelayed},
		{"the rules come", "http://down.example/", 5 * time.Minute, 2 * time.Minute, nil},
		{"a rule", "http://example.com/private", time.Hour, 0, polite.ErrDisallowed},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", origintest.Text(conduct.Rules))
				web.Robots("slow.example", conduct.Delayed(10))
				web.Robots("down.example", origintest.Status(503, "Retry-After", "120"), origintest.Text(conduct.Rules))
				transport := conduct.NewTransport(t, web)
				transport.Pace.MaxWait = time.Second
				_, err := conduct.Get(conduct.Client(transport), "http://slow.example/1")
				require.NoError(t, err)
				client := retryablehttp.NewClient()
				client.Logger, client.RetryWaitMin, client.RetryWaitMax = nil, 0, 0
				client.HTTPClient.Transport = transport
				client.CheckRetry = polite.CheckRetry(retryablehttp.DefaultRetryPolicy)
				ctx, cancel := t.Context(), func() {}
				if test.deadline > 0 {
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
				}
				defer cancel()
				req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, test.url, nil)
				require.NoError(t, err)
				start := time.Now()
				resp, err := client.Do(req)
				if test.is == nil && assert.NoError(t, err) {
					resp.Body.Close()
				} else {
					assert.ErrorIs(t, err, test.is)
				}
				assert.InDelta(t, test.took.Seconds(), time.Since(start).Seconds(), 0.1)
			})
		})
	}
}

// The context that a Base gets ends when the answer is done, and at the latest with that of the request.
func TestContextOfBaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Delayed(1))
		web.Page("example.com", "/", origintest.Text("a page"))
		tr := conduct.NewTransport(t, web)
		base, waiting := tr.Base, atomic.Int32{}
		tr.Base = origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			if !polite.ForRobots(req) {
				waiting.Add(1)
				context.AfterFunc(req.Context(), func() { waiting.Add(-1) })
			}
			return base.RoundTrip(req)
		})
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel() // the answers are done long before
			require.NoError(t, conduct.Read(ctx, conduct.Client(tr), "http://example.com/"))
		}
		synctest.Wait()
		assert.Zero(t, waiting.Load())
	})
}

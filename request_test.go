package polite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/tries"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A base answers requests.
type base func(*http.Request) (*http.Response, error)

func (b base) RoundTrip(req *http.Request) (*http.Response, error) { return b(req) }

// answer returns an answer to req, with a header as "Name: value".
func answer(req *http.Request, status int, body string, header ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: make(http.Header), Body: io.NopCloser(strings.NewReader(body)), Request: req}
	for _, field := range header {
		name, value, _ := strings.Cut(field, ": ")
		resp.Header.Set(name, value)
	}
	return resp
}

// A request that is sent back when its connection is ready is sent again, and nobody sees that.
func TestSentAgain(t *testing.T) {
	for _, agent := range []string{"Bot/1.0", ""} {
		synctest.Test(t, func(t *testing.T) {
			sent := 0
			transport := &Transport{UserAgent: "Bot/1.0", Base: base(func(req *http.Request) (*http.Response, error) {
				switch req.URL.Path {
				case "/robots.txt", "/":
					return answer(req, 404, ""), nil
				case "/busy":
					time.Sleep(time.Second)
					return answer(req, 429, "", "Retry-After: 60"), nil
				}
				time.Sleep(2 * time.Second) // it connects
				httptrace.ContextClientTrace(req.Context()).GotConn(httptrace.GotConnInfo{})
				defer req.Body.Close()
				if err := context.Cause(req.Context()); err != nil {
					return nil, err
				}
				body, err := io.ReadAll(req.Body)
				sent++
				return answer(req, 200, string(body)), err
			})}
			client := &http.Client{Transport: transport}
			resp, err := client.Get("http://a.example/") // so that robots.txt is known
			require.NoError(t, err)
			resp.Body.Close()
			go client.Get("http://a.example/busy")
			synctest.Wait()
			start := time.Now()
			req, err := http.NewRequest(http.MethodPost, "http://a.example/page", strings.NewReader("a=b"))
			require.NoError(t, err)
			req.Header.Set("User-Agent", agent)
			resp, err = transport.RoundTrip(req)
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			assert.Equal(t, "a=b", string(body))
			assert.Equal(t, agent != "", req == resp.Request, "or the copy that was sent")
			assert.Equal(t, 1, sent)
			assert.GreaterOrEqual(t, time.Since(start), time.Minute)
		})
	}
}

// Before a request is written, it is judged by the rules that are known then, and keeps to their delay.
func TestForbidsAtTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules, cache := "", new(Cache)
		site := base(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/robots.txt" && rules == "moved" {
				return answer(req, 302, "", "Location: http://b.example/robots.txt"), nil
			}
			return answer(req, 200, "user-agent: *\n"+rules, "Cache-Control: max-age=300"), nil
		})
		one, other := &Transport{UserAgent: "Bot/1.0", Base: site, Cache: cache}, &Transport{UserAgent: "Bot/1.0", Base: site, Cache: cache}
		other.Policy.CheckRedirect = func(*url.URL, *url.URL) error { return nil }
		ask := func(transport *Transport) (v judge.Verdict) {
			transport.init.Do(transport.setup)
			var to destination
			u := asks(t, "http://a.example/").URL
			_, _, err := transport.engine.look(t.Context(), u, &to, &v)
			require.NoError(t, err)
			synctest.Wait()
			return v
		}
		last := ask(one)
		var to destination
		_, err := one.engine.resolve(asks(t, "http://a.example/"), nil, &to)
		require.NoError(t, err)
		last.Found.Idle = math.MaxInt64 // it is likely to connect
		admission, ok := one.engine.taker.Begin(&to.Site, &last)
		require.True(t, ok)
		defer admission.Done()
		get, post, public := asks(t, "http://a.example/private"), asks(t, "http://a.example/private"), asks(t, "http://a.example/public")
		post.Body = io.NopCloser(strings.NewReader("a=b"))
		assert.Nil(t, one.engine.changed(get, admission.Ticket, new(judge.Verdict), 0))
		assert.Nil(t, one.engine.changed(get, nil, &last, 0))
		changed := one.engine.changed(public, admission.Ticket, &last, 30*time.Second)
		forbidden, gap := changed()
		assert.False(t, forbidden)
		assert.Zero(t, gap)
		time.Sleep(time.Hour)
		rules = "crawl-delay: 3600\ndisallow: /private\n"
		ask(one)
		for req, want := range map[*http.Request]bool{get: true, public: false} {
			forbidden, delay := one.engine.forbids(req, last.Known, nil)
			assert.Equal(t, want, forbidden)
			assert.Equal(t, time.Hour, delay)
		}
		forbidden, gap = changed()
		assert.False(t, forbidden)
		assert.Equal(t, 30*time.Second, gap, "MaxDelay")
		_, gap = one.engine.changed(public, admission.Ticket, &last, 2*time.Hour)()
		assert.Equal(t, time.Hour, gap)
		time.Sleep(time.Hour)
		rules = "moved"
		ask(other)
		for req, want := range map[*http.Request]bool{get: true, post: false} {
			forbidden, delay := one.engine.forbids(req, last.Known, nil)
			assert.Equal(t, want, forbidden, "it is to be found out first")
			assert.Zero(t, delay)
		}
		forbidden, _ = one.engine.forbids(asks(t, "http://c.example/"), last.Known, nil)
		assert.False(t, forbidden, "it was forgotten")
	})
}

// A try of package queue that is refused for now says what keeps its lane, and is told of if the queue gives it up.
func TestTries(t *testing.T) {
	all := func(*http.Request) string { return "all" }
	for _, test := range []struct {
		name   string
		pace   Pace
		url    string
		open   bool // the body of an answer is open
		hop    bool // it is a hop of a redirect
		cause  Cause
		why    string
		awaits bool
		took   time.Duration
		waits  bool // it waits for a turn
	}{
		{"a gap", Pace{MinDelay: time.Hour}, "http://a.example/", false, false, CauseGap, "there is a gap of 1h0m0s between two requests", false, 0, true},
		{"a slot", Pace{Concurrency: 1}, "http://a.example/", true, false, CauseBodies, "1 answer is open, of a request of 2000-01-01T00:00:00Z: is its body closed?", true, 0, true},
		{"a gap of a group", Pace{Group: &Group{Key: all, MinDelay: time.Hour}}, "http://a.example/", false, false, CauseGroup, "in the group of the site: there is a gap of 1h0m0s between two requests", false, 0, true},
		{"no queue for a slot", Pace{MaxQueue: NoQueue, Concurrency: 1}, "http://a.example/", true, false, CauseQueue, "no request may wait here (MaxQueue)", true, 0, true},
		{"a long delay", Pace{MaxDelay: 1, RefuseLonger: true}, "http://slow.example/", false, false, CauseCrawlDelay, "the site asks for a delay of 1h0m0s, and MaxDelay is 1ns", false, 0, true},
		{"rules that do not come", Pace{MaxWait: time.Minute}, "http://hangs.example/", false, false, CauseDeadline, "robots.txt has not come within 1m0s", false, time.Minute, false},
		{"rules that do not come to a hop", Pace{MaxWait: time.Minute}, "http://hangs.example/", false, true, CauseDeadline, "robots.txt has not come within 2s", false, 2 * time.Second, false},
		{"no rules", Pace{}, "http://down.example/", false, false, "", "", false, 0, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			told, log := 0, new(written)
			transport := &Transport{UserAgent: "Bot/1.0", Pace: test.pace, Logger: log.logger(slog.LevelWarn), Policy: Policy{Timeout: time.Hour}, Base: base(func(req *http.Request) (*http.Response, error) {
				switch req.URL.String() {
				case "http://hangs.example/robots.txt":
					<-req.Context().Done()
					return nil, req.Context().Err()
				case "http://down.example/robots.txt":
					return answer(req, 500, ""), nil
				case "http://slow.example/robots.txt":
					return answer(req, 200, "user-agent: *\ncrawl-delay: 3600"), nil
				}
				return answer(req, 404, "body"), nil
			})}
			transport.Trace.Refused = func(*http.Request, error) { told++ }
			resp, err := transport.RoundTrip(asks(t, "http://a.example/first"))
			require.NoError(t, err)
			if !test.open {
				resp.Body.Close()
			}
			page, start, req := new(tries.Request), time.Now(), asks(t, test.url)
			if test.hop {
				req.Response = new(http.Response)
			}
			_, err = transport.RoundTrip(req.WithContext(tries.With(t.Context(), page, nil, 1, 2*time.Second)))
			require.ErrorIs(t, err, ErrRefused, test.name)
			if late, ok := errors.AsType[*DelayError](err); ok {
				assert.Equal(t, test.cause, late.Cause, test.name)
				assert.Equal(t, test.why, late.Why, test.name)
			}
			assert.Equal(t, test.took, time.Since(start).Round(time.Second), test.name)
			assert.Equal(t, test.awaits, page.Refused().Awaits, test.name)
			assert.Equal(t, test.waits, page.Refused().Waits != nil, test.name)
			if test.cause == CauseGap {
				_, turn, _ := RetryAt(err)
				page.Refused().Long(turn.Add(-time.Minute))
				assert.Empty(t, log.take())
				page.Refused().Long(turn.Add(-time.Minute - 1))
				assert.Contains(t, log.take(), "requests wait long for their turn")
			}
			assert.Zero(t, told, test.name)
			page.GiveUp(err)
			assert.Equal(t, 1, told, test.name)
			resp.Body.Close()
			transport.CloseIdleConnections()
		})
	}
}

// Of all tries of a page, a Trace is told once that it may be sent, and again if it may not. A hop is another request.
func TestTriesAreJudgedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules, told := "", []string(nil)
		transport := &Transport{UserAgent: "Bot/1.0", Base: base(func(req *http.Request) (*http.Response, error) {
			return answer(req, 200, "user-agent: *\n"+rules, "Cache-Control: max-age=300"), nil
		})}
		transport.Trace.Judged = func(_ *http.Request, r Ruling) { told = append(told, fmt.Sprint(r.Allowed, r.Again)) }
		page := new(tries.Request)
		for _, step := range []struct {
			rules string
			hop   bool
			want  []string
		}{
			{"", false, []string{"true false"}},
			{"", false, nil},
			{"", true, []string{"true false"}},
			{"", false, nil},
			{"disallow: /", false, []string{"false true"}},
		} {
			req := asks(t, "http://a.example/")
			rules = step.rules
			time.Sleep(time.Hour)
			_, err := transport.Check(t.Context(), req.URL) // asks again in the background
			require.NoError(t, err)
			synctest.Wait()
			if step.hop {
				req.Response = new(http.Response)
			}
			resp, err := transport.RoundTrip(req.WithContext(tries.With(t.Context(), page, nil, 1, 1)))
			if err == nil {
				resp.Body.Close()
			} else {
				page.GiveUp(err)
			}
			assert.Equal(t, step.want, told)
			told = nil
		}
		req := asks(t, "http://a.example/")
		transport.engine.judged(req.WithContext(tries.With(t.Context(), page, nil, 1, 1)), new(destination), &judge.Verdict{Allowed: true, Again: true})
		assert.Equal(t, []string{"true true"}, told, "in one try")
	})
}

// A try that is put off in a lane that nothing keeps may come back at once: an answer has come since.
func TestPutOff(t *testing.T) {
	transport := &Transport{UserAgent: "Bot/1.0"}
	transport.init.Do(transport.setup)
	var to destination
	req := asks(t, "http://a.example/")
	_, err := transport.engine.resolve(req, nil, &to)
	require.NoError(t, err)
	for _, test := range []struct {
		cause  Cause
		err    error
		why    string
		awaits bool
	}{
		{CauseQueue, nil, "w", true},
		{CauseDeadline, nil, "other requests of the lane go before it", true},
		{CauseDeadline, context.DeadlineExceeded, "w", false},
		{CauseGap, nil, "w", false},
	} {
		refusal := &DelayError{Cause: test.cause, Why: "w", Turn: someTime, err: test.err}
		told := transport.engine.putOff(req, &to, new(judge.Verdict), refusal)
		assert.Equal(t, test.cause, refusal.Cause)
		assert.Equal(t, test.why, refusal.Why)
		assert.Equal(t, test.awaits, told.Awaits)
	}
}

// A refusal says when the turn comes, and why it is late. It knows the URL with its password, and tells it nobody.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &Transport{UserAgent: "Bot/1.0"}
		transport.init.Do(transport.setup)
		var to destination
		req := asks(t, "http://u:p@a.example/")
		_, err := transport.engine.resolve(req, nil, &to)
		require.NoError(t, err)
		for _, test := range []struct {
			late   lane.LateError
			wait   time.Duration
			cause  Cause
			why    string
			reason Reason
		}{
			{lane.LateError{Turn: time.Now().Add(time.Second), Cause: lane.Full, Why: "w"}, time.Second, CauseQueue, "w", ReasonDelayed},
			{lane.LateError{Turn: time.Now().Add(-time.Second), Cause: lane.Deadline, Why: "w", Unknown: true}, 0, CauseDeadline, "w", ReasonUnknown},
			{lane.LateError{Turn: time.Now(), Cause: lane.Failed, Why: "w", Err: errors.New("off\n")}, 0, CauseStore, `w: off\n`, ReasonDelayed},
		} {
			refusal := transport.engine.delay(req, &to, new(judge.Verdict), &test.late)
			assert.Equal(t, test.wait, refusal.Wait)
			assert.Equal(t, test.late.Turn, refusal.Turn)
			assert.Equal(t, test.cause, refusal.Cause)
			assert.Equal(t, test.why, refusal.Why)
			assert.Equal(t, test.reason, refusal.Reason)
			assert.Equal(t, test.late.Err, refusal.err)
			assert.Equal(t, "GET", refusal.Method)
			assert.NotContains(t, refusal.Error(), "u:p")
			u, _, _ := RetryAt(refusal)
			assert.Equal(t, "http://u:p@a.example/", u.String())
		}
		other := errors.New("another")
		assert.Equal(t, other, transport.engine.delayed(req, &to, new(judge.Verdict), other))
	})
}

// A dry run sends each request as it is, once, and holds its answer back for no longer than a moment.
func TestRehearse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told, judged, same atomic.Int32
		var sent atomic.Pointer[http.Request]
		closed := 0
		site := func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/robots.txt" {
				time.Sleep(10 * time.Second)
				return answer(req, 200, "user-agent: *\ndisallow: /private"), nil
			}
			if req.Body != nil {
				req.Body.Close()
			}
			return answer(req, 200, ""), nil
		}
		transport := &Transport{UserAgent: "Bot/1.0", Cache: new(Cache), Base: base(site)}
		transport.Policy.DryRun = func(of *http.Request, _ error) {
			if told.Add(1); of == sent.Load() {
				same.Add(1)
			} else {
				assert.Nil(t, of.Body)
			}
		}
		transport.Trace.Judged = func(*http.Request, Ruling) { judged.Add(1) }
		for i, wait := range []time.Duration{moment, 0, 0} { // one waits for robots.txt, the next one does not, and it is known to the last
			req := asks(t, "http://a.example/private")
			req.Body = countingBody{strings.NewReader("a=b"), &closed}
			start := time.Now()
			sent.Store(req)
			resp, err := transport.RoundTrip(req)
			require.NoError(t, err)
			assert.Equal(t, wait, time.Since(start))
			assert.Equal(t, 200, resp.StatusCode)
			assert.Equal(t, i+1, closed)
			if i == 1 {
				time.Sleep(10 * time.Second)
			}
		}
		synctest.Wait()
		assert.EqualValues(t, 3, told.Load())
		assert.EqualValues(t, 3, judged.Load())
		assert.EqualValues(t, 1, same.Load(), "at once")
		_, err := transport.RoundTrip(&http.Request{URL: &url.URL{Scheme: "http"}, Body: countingBody{nil, &closed}})
		assert.ErrorContains(t, err, "the URL has no host")
		assert.Equal(t, 4, closed)
		stats := transport.Cache.Stats().DryRun
		assert.EqualValues(t, 3, stats.Judged)
		assert.Equal(t, map[Reason]uint64{ReasonRule: 3}, stats.Refused)
		stats.Refused[ReasonRule] = 0
		assert.EqualValues(t, 3, transport.Cache.Stats().DryRun.Refused[ReasonRule], "a copy")
	})
	var counts dryRun
	var waits Stats
	counts.count(delayedFor(2 * time.Second))
	counts.count(delayedFor(time.Second))
	counts.fill(&waits)
	assert.EqualValues(t, 2, waits.DryRun.Judged)
	assert.EqualValues(t, 2, waits.DryRun.Delayed)
	assert.Equal(t, 3*time.Second, waits.DryRun.Wait)
	assert.Equal(t, 2*time.Second, waits.DryRun.LongestWait)
}

type countingBody struct {
	io.Reader
	closed *int
}

func (b countingBody) Close() error { *b.closed++; return nil }

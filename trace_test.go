package polite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A written log has lines without their times.
type written struct{ bytes.Buffer }

func (w *written) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// take returns what was written, and forgets it.
func (w *written) take() string {
	defer w.Reset()
	return strings.TrimSuffix(w.String(), "\n")
}

var someTime = time.Date(2000, 1, 2, 3, 4, 5, 0, time.UTC)

// A call of the Store or of Turns that fails is told once a minute, with what comes of it.
func TestLogOfCalls(t *testing.T) {
	off := errors.New("off")
	for _, test := range []struct {
		name string
		err  error
		text string
	}{
		{"claim", off, "the store fails: this process asks for robots.txt by itself"},
		{"put", off, "the store fails: this process asks for robots.txt by itself"},
		{"break", off, "turns fail: only this process knows of a break"},
		{"watch", off, "turns fail: this process does not hear of breaks"},
		{"renew", off, "turns fail: requests may lose their slots, and then end"},
		{"renew", context.DeadlineExceeded, "turns fail: requests may lose their slots, and then end"},
		{"take", off, "turns fail: requests that need a turn are refused"},
		{"take", context.DeadlineExceeded, ""},
		{"take", context.Canceled, ""},
		{"claim", nil, ""},
		{"done", off, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log written
			l := logged(&Transport{Logger: log.logger(slog.LevelInfo)}, nil)
			want := ""
			if test.text != "" {
				want = fmt.Sprintf("level=WARN msg=%q error=%q", test.text, test.err.Error())
				want = strings.Replace(want, `"off"`, "off", 1)
			}
			for _, again := range []bool{false, true, false} {
				l.Called(store.Call{Name: test.name, Err: test.err})
				if again {
					assert.Empty(t, log.take(), test.name)
					time.Sleep(time.Minute)
				} else {
					assert.Equal(t, want, log.take(), test.name)
				}
			}
		})
	}
}

// What the Logger tells of refusals, fetches and sites.
func TestLogLines(t *testing.T) {
	decided := func(edit func(*Decision)) error {
		e := &NoRulesError{Decision: Decision{URL: "u", Origin: "o", Reason: ReasonUnreachable}}
		edit(&e.Decision)
		return e
	}
	said := usage.Said{Use: usage.TrainAI, Source: "content-signal", Label: "ai-train", Value: "no", Line: 3}
	const failed = "status=500 error=off"
	off := errors.New("off")
	for want, tell := range map[string]any{
		"INFO msg=\"refused a request\" reason=unreachable url=u origin=o": decided(func(*Decision) {}),
		"INFO msg=\"refused a request\" reason=unreachable url=u origin=o from=f basis=b " + failed + " next=2000-01-02T03:04:05.000Z": decided(func(d *Decision) {
			d.From, d.Basis, d.Status, d.Err, d.Next, d.Rule, d.Use = "f", "b", 500, off, someTime, robots.Rule{Line: 1}, said
		}),
		"INFO msg=\"refused a request\" reason=unavailable url=u origin=o " + failed: decided(func(d *Decision) { d.Reason, d.Status, d.Err = ReasonUnavailable, 500, off }),
		"INFO msg=\"refused a request\" reason=rule url=u origin=o rule=\"disallow: /\" line=2 group=*": decided(func(d *Decision) {
			d.Reason, d.Rule, d.Group, d.Status, d.Err, d.Use = ReasonRule, robots.Rule{Pattern: "/", Line: 2}, "*", 500, off, said
		}),
		"INFO msg=\"refused a request\" reason=use url=u origin=o use=train-ai rule=\"content-signal: ai-train=no\" line=3 group=*": decided(func(d *Decision) {
			d.Reason, d.Rule, d.Group, d.Status, d.Err, d.Use = ReasonUse, robots.Rule{Pattern: "/", Line: 2}, "*", 500, off, said
		}),
		"INFO msg=\"refused a request\" reason=delayed url=u origin=o wait=1s turn=2000-01-02T03:04:05.000Z cause=gap why=w": &DelayError{
			Decision: Decision{URL: "u", Origin: "o", Reason: ReasonDelayed}, Wait: time.Second, Turn: someTime, Cause: CauseGap, Why: "w"},
		"": off,
		"INFO msg=\"asked for robots.txt\" url=u origin=o took=0s next=0001-01-01T00:00:00.000Z": Fetch{URL: "u", Origin: "o"},
		"WARN msg=\"asked for robots.txt\" url=u origin=o hops=[h] status=1 error=off tries=1 took=1s next=2000-01-02T03:04:05.000Z": Fetch{
			URL: "u", Origin: "o", Hops: []string{"h"}, Status: 1, Err: off, Tries: 1, Took: time.Second, Next: someTime},
		"INFO msg=\"asked for robots.txt\" url=u origin=o tries=2 took=0s next=0001-01-01T00:00:00.000Z":               Fetch{URL: "u", Origin: "o", Tries: 2},
		"INFO msg=\"a site has too much to do\" origin=o trouble=busy until=2000-01-02T03:04:05.000Z gap=1s":           Limit{Origin: "o", Trouble: TroubleBusy, Until: someTime, Gap: time.Second},
		"INFO msg=\"a group of sites has too much to do\" origin=o trouble=busy until=2000-01-02T03:04:05.000Z gap=0s": Limit{Origin: "o", Trouble: TroubleBusy, Until: someTime, Group: true},
		" ":  Limit{Origin: "o", Trouble: TroubleBusy, Tries: 1},
		"  ": Limit{Origin: "o"},
		"WARN msg=\"another process that shares the turns is configured differently: sites get requests sooner than one of the two allows\" setting=s here=h there=t": store.HealthEvent{
			Kind: store.HealthDiffers, Difference: store.Difference{Setting: "s", Here: "h", There: "t"}},
		"   ": store.HealthEvent{Kind: store.HealthLostSlot, Difference: store.Difference{Setting: "s"}},
	} {
		var log written
		l := logged(&Transport{Logger: log.logger(slog.LevelInfo), Cache: new(Cache)}, nil)
		switch of := tell.(type) {
		case error:
			l.Refused(new(http.Request), of)
		case Fetch:
			l.Asked(of)
		case Limit:
			l.Limited(of)
		case store.HealthEvent:
			l.Health(of)
		}
		assert.Equal(t, strings.TrimSpace(want), strings.TrimPrefix(log.take(), "level="))
	}
	assert.Nil(t, logged(new(Transport), nil).Refused)
}

// Of refusals for one reason at one origin, one in a minute is at Info, and says how many others there were.
func TestLogOfRepeatedRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all, log written
		debug, info := logged(&Transport{Logger: all.logger(slog.LevelDebug)}, nil), logged(&Transport{Logger: log.logger(slog.LevelInfo)}, nil)
		for _, test := range []struct {
			pause  time.Duration
			reason Reason
			level  string
			more   string
		}{
			{0, ReasonExempt, "INFO", ""},
			{0, ReasonUnknown, "INFO", ""},
			{time.Minute - 1, ReasonExempt, "DEBUG", ""},
			{0, ReasonExempt, "DEBUG", ""},
			{1, ReasonExempt, "INFO", " repeated=2"},
			{0, ReasonUnknown, "INFO", ""},
			{0, ReasonExempt, "DEBUG", ""},
			{time.Minute, ReasonExempt, "INFO", " repeated=1"},
		} {
			time.Sleep(test.pause)
			refusal := &DisallowedError{Decision: Decision{URL: "u", Origin: "o", Reason: test.reason}}
			debug.Refused(new(http.Request), refusal)
			info.Refused(new(http.Request), refusal)
			want := fmt.Sprintf(`level=%s msg="refused a request" reason=%s url=u origin=o%s`, test.level, test.reason, test.more)
			assert.Equal(t, want, all.take())
			if test.level == "DEBUG" {
				want = ""
			}
			assert.Equal(t, want, log.take())
		}
	})
}

// A logbook tells what no Trace tells, if there is a Logger.
func TestLogbook(t *testing.T) {
	o, err := origin.OfRequest(asks(t, "http://a.example/"))
	require.NoError(t, err)
	var log written
	for _, l := range []logbook{{}, {log.logger(slog.LevelInfo)}} {
		l.delay(o, 2*time.Second, time.Second, false)
		l.delay(o, 2*time.Second, time.Second, true)
		l.replaced(t.Context(), "a", "b")
		waits := l.waits(slog.LevelInfo, "they wait")
		if l.logger == nil {
			assert.Nil(t, waits)
			assert.Empty(t, log.take())
			continue
		}
		for _, next := range []time.Time{{}, someTime} {
			waits(t.Context(), o, fleet.OfOrigin(o), lane.State{Waiting: 1, Cause: lane.Gap, Gap: time.Second, Next: next})
		}
		assert.Equal(t, `level=WARN msg="crawl-delay is longer than it is honoured" url=http://a.example/robots.txt delay=2s honoured=1s
level=WARN msg="crawl-delay is longer than allowed: requests are refused" url=http://a.example/robots.txt delay=2s
level=WARN msg="User-Agent replaced; not logged again" replaced=a sent=b
level=INFO msg="they wait" origin=http://a.example waiting=1 why="there is a gap of 1s between two requests"
level=INFO msg="they wait" origin=http://a.example waiting=1 why="there is a gap of 1s between two requests" until=2000-01-02T03:04:05.000Z`, log.take())
	}
}

// An observer calls the functions that there are, with all that they are told of.
func TestObserver(t *testing.T) {
	o, err := origin.OfRequest(asks(t, "http://a.example/"))
	require.NoError(t, err)
	nothing := observer{user: new(Trace)}
	nothing.breakBegan(o, 0, time.Time{})
	nothing.blocked(nil, 0, limit.Barred)
	nothing.limited(o, limit.State{}, false)
	nothing.answered(nil, new(http.Response))
	nothing.changed(o, new(answers.Known), new(answers.Known))
	assert.Nil(t, nothing.waits(nil, time.Time{}))
	assert.Nil(t, nothing.ofCache())
	assert.False(t, nothing.judges())
	var calls []store.Call
	called := func(c store.Call) { calls = append(calls, c) }
	for _, some := range []observer{
		{user: &Trace{Called: called}}, {user: new(Trace), log: Trace{Called: called}},
		{user: &Trace{Health: func(store.HealthEvent) {}}}, {user: new(Trace), log: Trace{Health: func(store.HealthEvent) {}}},
	} {
		assert.NotNil(t, some.ofCache())
	}
	assert.NotNil(t, (&observer{user: &Trace{Waits: func(*http.Request, time.Time) {}}}).waits(nil, someTime))
	synctest.Test(t, func(t *testing.T) {
		some, off, began := observer{user: &Trace{Called: called}}, errors.New("off"), time.Now()
		time.Sleep(time.Second)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		late, cancel := context.WithTimeout(t.Context(), -1)
		defer cancel()
		some.called(t.Context(), "a", began, fmt.Errorf("%w", store.ErrLost))
		some.called(t.Context(), "b", began, off)
		some.called(ended, "c", began, off)
		some.called(ended, "d", began, nil)
		some.called(late, "e", began, off)
		assert.Equal(t, []store.Call{{Name: "a", Took: time.Second}, {Name: "b", Took: time.Second, Err: off}, {Name: "c", Took: time.Second, Err: context.Canceled},
			{Name: "d", Took: time.Second}, {Name: "e", Took: time.Second, Err: off}}, calls)
	})
}

// A wait begins and is over once. What is left of the longest wait is never nothing.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		req := asks(t, "http://a.example/")
		trace := &Trace{
			Waits: func(of *http.Request, start time.Time) {
				told = append(told, fmt.Sprint("waits ", of == req, start.Equal(someTime)))
			},
			Waited: func(of *http.Request, wait time.Duration, err error) {
				told = append(told, fmt.Sprint("waited ", of == req, wait, err))
			},
		}
		w := wait{user: trace, req: req}
		w.end(lane.Admission{}, nil) // it has not begun
		assert.Equal(t, time.Minute, w.left(time.Minute))
		w.begin(someTime)
		time.Sleep(time.Second)
		assert.Equal(t, 59*time.Second, w.left(time.Minute))
		assert.EqualValues(t, 1, w.left(time.Second))
		assert.EqualValues(t, 1, w.left(time.Millisecond))
		assert.Zero(t, w.left(0))
		w.end(lane.Admission{}, errAbandoned)
		w.end(lane.Admission{}, nil)
		w.abandon()
		over := (&observer{user: trace}).waits(req, someTime)
		time.Sleep(time.Second)
		over(nil)
		over(nil)
		assert.Equal(t, []string{"waits true true", "waited true 1s " + errAbandoned.Error(), "waits true true", "waited true 1s <nil>"}, told)
		quiet := wait{user: new(Trace)}
		quiet.begin(someTime)
		quiet.end(lane.Admission{}, nil)
	})
}

package polite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
)

// asker returns how t asks for the robots.txt of to.
func (t *Transport) asker(to *site) ask {
	asked := *to
	return func(ctx context.Context) (*entry, error) { return t.ask(ctx, &asked) }
}

// ask fetches the robots.txt of to, and keeps what is known then. It serves all who
// wait for that, so it does not end with the context of any.
func (t *Transport) ask(ctx context.Context, to *site) (*entry, error) {
	o := to.origin
	last := t.cache.load(o)
	if last != nil && !last.Due(t.cache.now()) {
		return last, nil // another flight has landed since
	}
	answer, err := t.client.Fetch(context.WithValue(ctx, through{t}, true), o, last.validators())
	if errors.Is(context.Cause(ctx), errNobodyWaits) {
		return nil, errNobodyWaits
	}
	answer.RetryAfter = t.Pace.retryAfter(answer.RetryAfter)
	now := t.cache.now()
	var e *entry
	if unanswered(answer, err) {
		e = fail(last, answer, err, now)
	} else {
		e = succeed(last, answer, err, t.Policy.freshness(answer.MaxAge), now)
	}
	t.cache.stats.count(e, answer)
	t.cache.store(o, e)
	if answeredItself(o, answer) {
		t.learn(to.lane, answer.Status, answer.RetryAfter)
	}
	t.tellAsked(o, e, answer, err)
	return e, nil
}

// answeredItself reports whether it is o that answered, and not where it redirected
// to.
func answeredItself(o origin.Origin, answer fetch.Answer) bool {
	if len(answer.Hops) == 0 {
		return true
	}
	last, err := url.Parse(answer.Hops[len(answer.Hops)-1])
	if err != nil {
		return false
	}
	at, err := origin.OfURL(last)
	o.Dial = ""
	return err == nil && at == o
}

// maxVisits is how many fetches that were redirected to a host may be under way
// there at the same time.
const maxVisits = 2

// visit waits until a fetch that was redirected to another origin may ask there: it
// takes a turn like any request, by what is known of that origin.
func (t *Transport) visit(ctx context.Context, at origin.Origin) (leave func(status int, retryAfter time.Duration), err error) {
	lane := t.lane(at, &http.Request{Method: http.MethodGet, URL: at.RobotsURL()})
	rule := t.turns
	if rule.Slots == 0 || rule.Slots > maxVisits {
		rule.Slots = maxVisits
	}
	if e := t.cache.load(at); e != nil && e.file != nil {
		delay, _ := e.file.Rules(t.agents...).CrawlDelay()
		gap, _ := t.Pace.siteDelay(delay)
		rule.Gap = max(rule.Gap, gap)
	}
	turn, err := t.cache.lanes.Take(ctx, lane, rule)
	if err != nil {
		return nil, fmt.Errorf("redirected to %s: %w", at, err)
	}
	return func(status int, retryAfter time.Duration) {
		defer turn.Done()
		turn.Answered(t.learn(lane, status, retryAfter))
	}, nil
}

// tellAsked tells the Logger what came of asking for robots.txt.
func (t *Transport) tellAsked(o origin.Origin, e *entry, answer fetch.Answer, err error) {
	if t.Logger == nil {
		return
	}
	level, at := slog.LevelInfo, o.RobotsURL().String()
	if e.Failure != nil {
		level = slog.LevelWarn
	}
	t.Logger.Log(context.Background(), level, "asked for robots.txt",
		"url", at, "status", answer.Status, "hops", answer.Hops, "error", err, "next", t.cache.wall(e.Refresh))
	if e.file == nil {
		return
	}
	delay, _ := e.file.Rules(t.agents...).CrawlDelay()
	switch gap, refuse := t.Pace.siteDelay(delay); {
	case refuse:
		t.Logger.Warn("crawl-delay is longer than allowed: requests are refused", "url", at, "delay", delay)
	case delay > max(gap, t.Pace.MinDelay):
		t.Logger.Warn("crawl-delay is longer than it is honoured", "url", at, "delay", delay, "honoured", max(gap, t.Pace.MinDelay))
	}
}

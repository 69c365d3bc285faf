package polite

import (
	"context"
	"errors"
	"log/slog"
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
	if saysNothing(answer, err) {
		e = fail(last, answer, err, now)
	} else {
		e = succeed(last, answer, err, t.Policy.freshness(answer.MaxAge), now)
	}
	t.cache.stats.count(e, answer)
	t.cache.store(o, e)
	if answer.RetryAfter > 0 && overloaded(answer.Status) {
		t.cache.lanes.Hold(to.lane, time.Now().Add(answer.RetryAfter))
	}
	t.tellAsked(o, e, answer, err)
	return e, nil
}

// tellAsked tells the Logger what came of asking for robots.txt.
func (t *Transport) tellAsked(o origin.Origin, e *entry, answer fetch.Answer, err error) {
	if t.Logger == nil {
		return
	}
	level, url := slog.LevelInfo, o.RobotsURL().String()
	if e.Failure != nil {
		level = slog.LevelWarn
	}
	t.Logger.Log(context.Background(), level, "asked for robots.txt",
		"url", url, "status", answer.Status, "hops", answer.Hops, "error", err, "next", t.cache.wall(e.Refresh))
	if e.file == nil {
		return
	}
	delay, _ := e.file.Rules(t.agents...).CrawlDelay()
	switch gap, refuse := t.Pace.siteDelay(delay); {
	case refuse:
		t.Logger.Warn("crawl-delay is longer than allowed: requests are refused", "url", url, "delay", delay)
	case delay > max(gap, t.Pace.MinDelay):
		t.Logger.Warn("crawl-delay is longer than it is honoured", "url", url, "delay", delay, "honoured", max(gap, t.Pace.MinDelay))
	}
}

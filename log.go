package polite

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
)

// A logbook tells a Logger what happens, if there is one.
type logbook struct{ logger *slog.Logger }

// refused tells of a request that is not sent.
func (l logbook) refused(ctx context.Context, refusal error) {
	if l.logger != nil {
		l.logger.InfoContext(ctx, "refused a request", "error", refusal)
	}
}

// asked tells what came of asking o for robots.txt.
func (l logbook) asked(o origin.Origin, e *entry, answer fetch.Answer, err error, next time.Time) {
	if l.logger == nil {
		return
	}
	level := slog.LevelInfo
	if e.Failure != nil {
		level = slog.LevelWarn
	}
	l.logger.Log(context.Background(), level, "asked for robots.txt",
		"url", o.RobotsURL().String(), "status", answer.Status, "hops", answer.Hops, "error", err, "next", next)
}

// refusesDelay tells that polite refuses all requests to o: it asks for a delay that is
// too long.
func (l logbook) refusesDelay(o origin.Origin, delay time.Duration) {
	if l.logger != nil {
		l.logger.Warn("crawl-delay is longer than allowed: requests are refused", "url", o.RobotsURL().String(), "delay", delay)
	}
}

// capsDelay tells that polite keeps a shorter delay than o asks for.
func (l logbook) capsDelay(o origin.Origin, delay, honoured time.Duration) {
	if l.logger != nil {
		l.logger.Warn("crawl-delay is longer than it is honoured", "url", o.RobotsURL().String(), "delay", delay, "honoured", honoured)
	}
}

// waits tells that requests begin to wait for their turn for a long time.
func (l logbook) waits(ctx context.Context, o origin.Origin, until time.Time) {
	if l.logger != nil {
		l.logger.WarnContext(ctx, "requests wait long for their turn", "origin", o.String(), "until", until)
	}
}

// renamed tells that polite replaces the User-Agent of requests that do not name our
// product.
func (l logbook) renamed(ctx context.Context, replaced, sent string) {
	if l.logger != nil {
		l.logger.WarnContext(ctx, "a request does not name our product: it is sent under UserAgent, as are all like it",
			"replaced", replaced, "sent", sent)
	}
}

// A hush lets something be told once a minute.
type hush struct{ until atomic.Int64 }

// over reports whether to tell it now, by the clock of the cache.
func (h *hush) over(now int64) bool {
	until := h.until.Load()
	return now >= until && h.until.CompareAndSwap(until, now+int64(time.Minute))
}

// storeFails tells that what polite learns is not kept, or that it does not know what is
// kept.
func (l logbook) storeFails(err error) {
	if l.logger != nil {
		l.logger.Warn("the store fails: this process asks for robots.txt by itself", "error", printable.Error(err))
	}
}

// turnsFail tells that a break is not kept.
func (l logbook) turnsFail(err error) {
	if l.logger != nil {
		l.logger.Warn("turns fail: only this process knows of a break", "error", printable.Error(err))
	}
}

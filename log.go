package polite

import (
	"context"
	"log/slog"
	"time"

	"github.com/go-polite/polite/internal/origin"
)

// A logbook tells a Logger what happens, if there is one. The rest of what the Logger is
// told is a Trace: see logged.
type logbook struct{ logger *slog.Logger }

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

package polite

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/repeats"
	"github.com/go-polite/polite/store"
)

// A logbook tells a Logger, if there is one, what no Trace tells. The rest is a Trace: see
// logged.
type logbook struct{ logger *slog.Logger }

// delay tells that polite does not keep to the crawl-delay that o asks for: it keeps a
// shorter gap, or refuses all requests.
func (l logbook) delay(o origin.Origin, asked, kept time.Duration, refused bool) {
	switch {
	case l.logger == nil:
	case refused:
		l.logger.Warn("crawl-delay is longer than allowed: requests are refused", "url", o.RobotsURL().String(), "delay", asked)
	default:
		l.logger.Warn("crawl-delay is longer than it is honoured", "url", o.RobotsURL().String(), "delay", asked, "honoured", kept)
	}
}

// waitsLong returns what tells that a request has waited long for its turn. It is nil if there is no
// Logger: then no request looks how long it has waited.
func (l logbook) waitsLong() func(context.Context, origin.Origin, fleet.Key, lane.State) {
	if l.logger == nil {
		return nil
	}
	return func(ctx context.Context, o origin.Origin, key fleet.Key, s lane.State) {
		waits := laneOf(key, s)
		attrs := []slog.Attr{slog.String("origin", o.String()), slog.Int("waiting", waits.Waiting), slog.String("why", waits.Why())}
		if !waits.Next.IsZero() {
			attrs = append(attrs, slog.Time("until", waits.Next))
		}
		l.logger.LogAttrs(ctx, slog.LevelWarn, "requests wait long for their turn", attrs...)
	}
}

// replaced tells that polite replaces the User-Agent of requests that do not name our
// product.
func (l logbook) replaced(ctx context.Context, replaced, sent string) {
	if l.logger != nil {
		l.logger.WarnContext(ctx, "User-Agent replaced; not logged again",
			"replaced", replaced, "sent", sent)
	}
}

// logged returns a Trace that writes to the Logger of a Transport with these product tokens. If
// there is none, the Trace is zero.
func logged(t *Transport, agents []string) Trace {
	if t.Logger == nil {
		return Trace{}
	}
	l := &logTrace{logger: t.Logger}
	if t.Cache == nil {
		l.alone = strings.ToLower(strings.Join(agents, ","))
	}
	return Trace{Refused: l.refused, Limited: l.limited, Asked: l.asked, Called: l.called, Health: l.differs}
}

// A logTrace writes what a Trace tells.
type logTrace struct {
	logger  *slog.Logger
	alone   string // the product tokens, if the Transport shares its Cache with no other
	repeats repeats.Repeats
}

// refused tells of a request that is not sent. Of refusals for one reason at one origin,
// one in a minute is logged at Info, and the others at Debug.
func (l *logTrace) refused(req *http.Request, refusal error) {
	d, ok := DecisionOf(refusal)
	if !ok {
		return
	}
	level, before := slog.LevelDebug, 0
	if first, n := l.repeats.Note(d.Origin+" "+string(d.Reason), time.Now()); first {
		level, before = slog.LevelInfo, n
	}
	ctx := req.Context()
	if !l.logger.Enabled(ctx, level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 16), slog.String("reason", string(d.Reason)))
	attrs = append(attrs, about(d)...)
	if late, ok := errors.AsType[*DelayError](refusal); ok {
		attrs = append(attrs, slog.Duration("wait", late.Wait), slog.Time("turn", late.Turn), slog.String("cause", string(late.Cause)), slog.String("why", late.Why))
	}
	if before > 0 {
		attrs = append(attrs, slog.Int("repeated", before))
	}
	l.logger.LogAttrs(ctx, level, "refused a request", attrs...)
}

// limited tells that a site, or its Group, begins to have too much to do.
func (l *logTrace) limited(found Limit) {
	if found.Trouble == "" || found.Tries > 0 {
		return
	}
	who := "a site"
	if found.Group {
		who = "a group of sites"
	}
	l.logger.Info(who+" has too much to do", "origin", found.Origin, "trouble", string(found.Trouble), "until", found.Until, "gap", found.Gap)
}

// about returns the attributes of a Decision that have a value.
func about(d Decision) []slog.Attr {
	attrs := []slog.Attr{slog.String("url", d.URL), slog.String("origin", d.Origin)}
	if d.From != "" {
		attrs = append(attrs, slog.String("from", d.From))
	}
	if d.Reason == ReasonRule {
		attrs = append(attrs, slog.String("rule", printable.Text(d.Rule.String())), slog.Int("line", d.Rule.Line), slog.String("group", printable.Text(d.Group)))
	}
	if d.Reason == ReasonUse {
		attrs = append(attrs, slog.String("use", printable.Text(string(d.Use.Use))), slog.String("rule", printable.Text(d.Use.String())), slog.Int("line", d.Use.Line), slog.String("group", printable.Text(d.Group)))
	}
	if d.Basis != "" {
		attrs = append(attrs, slog.String("basis", d.Basis))
	}
	if d.Status != 0 && (d.Reason == ReasonUnreachable || d.Reason == ReasonUnavailable) {
		attrs = append(attrs, slog.Int("status", d.Status))
	}
	if d.Reason == ReasonUnreachable || d.Reason == ReasonUnavailable {
		attrs = withError(attrs, d.Err)
	}
	if !d.Next.IsZero() {
		attrs = append(attrs, slog.Time("next", d.Next))
	}
	return attrs
}

func withError(attrs []slog.Attr, err error) []slog.Attr {
	if err == nil {
		return attrs
	}
	return append(attrs, slog.Any("error", printable.Error(err)))
}

// strangers has what Transports that share no Cache have asked in the last minute. Whoever makes a
// Transport for each request has no other value in which two of them could meet. So this is the one
// memory of the whole process: a thousand digests, and only of Transports with a Logger.
var strangers repeats.Repeats

// tellStranger tells, once a minute, that another Transport has asked an origin a moment ago that
// this one asks for the first time. Its turns are not known here. A Transport that has logged about a
// thousand sites is past that: it is shared.
func (l *logTrace) tellStranger(origin string, now time.Time) {
	if mine, _ := l.repeats.Note("asked "+origin, now); l.alone == "" || !mine || l.repeats.IsFull() {
		return // it may have asked itself, if it has forgotten some
	}
	if noOther, _ := strangers.Note(l.alone+" "+origin, now); noOther {
		return
	}
	if untold, _ := strangers.Note(l.alone, now); untold {
		l.logger.Warn("two Transports ask the same site and share no Cache: no gap holds between their requests; make one client and share it", "origin", origin)
	}
}

// asked tells what came of a request for robots.txt. The first failure is a warning; a
// site that is down stays so for many tries.
func (l *logTrace) asked(f Fetch) {
	l.tellStranger(f.Origin, time.Now())
	level := slog.LevelInfo
	if f.Tries == 1 {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("url", f.URL), slog.String("origin", f.Origin)}
	if len(f.Hops) > 0 {
		attrs = append(attrs, slog.Any("hops", f.Hops))
	}
	if f.Status != 0 {
		attrs = append(attrs, slog.Int("status", f.Status))
	}
	attrs = withError(attrs, f.Err)
	if f.Tries > 0 {
		attrs = append(attrs, slog.Int("tries", f.Tries))
	}
	attrs = append(attrs, slog.Duration("took", f.Took), slog.Time("next", f.Next))
	l.logger.LogAttrs(context.Background(), level, "asked for robots.txt", attrs...)
}

// called tells, once a minute, that calls fail.
func (l *logTrace) called(c store.Call) {
	text := ""
	switch c.Name {
	case "claim", "put":
		text = "the store fails: this process asks for robots.txt by itself"
	case "break":
		text = "turns fail: only this process knows of a break"
	case "watch":
		text = "turns fail: this process does not hear of breaks"
	case "renew":
		text = "turns fail: requests may lose their slots, and then end"
	}
	if c.Err == nil || text == "" || errors.Is(c.Err, context.Canceled) {
		return
	}
	if first, _ := l.repeats.Note(text, time.Now()); first {
		l.logger.Warn(text, "error", printable.Error(c.Err))
	}
}

// differs tells that another process is configured differently.
func (l *logTrace) differs(e store.HealthEvent) {
	d := e.Difference
	if e.Kind != store.HealthDiffers {
		return
	}
	l.logger.Warn("another process that shares the turns is configured differently: sites get requests sooner than one of the two allows",
		"setting", printable.Text(d.Setting), "here", printable.Text(d.Here), "there", printable.Text(d.There))
}

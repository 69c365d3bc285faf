package otelpolite

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/provenance"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/store"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// A teller reports to OpenTelemetry what a Trace is called with.
type teller struct {
	*instruments
	hosts   bool // report the hosts of sites, too
	rulings rulings
}

// after returns a Trace that calls each function of user, and then the same function of
// the teller.
func (t *teller) after(user polite.Trace) polite.Trace {
	all := user
	all.Judged = then2(user.Judged, t.judged)
	all.Refused = then2(user.Refused, t.refused)
	all.Waits = then2(user.Waits, t.waits)
	all.Waited = then3(user.Waited, t.waited)
	all.BreakBegan = then(user.BreakBegan, t.breakBegan)
	all.Blocked = then3(user.Blocked, t.blocked)
	all.Limited = then(user.Limited, t.limited)
	all.Asked = then(user.Asked, t.asked)
	all.RulesChanged = then3(user.RulesChanged, t.changed)
	all.Called = then(user.Called, t.called)
	all.Answered = then2(user.Answered, t.answered)
	return all
}

func (t *teller) judged(req *http.Request, r polite.Ruling) {
	ctx := req.Context()
	if !r.Again {
		if t.hosts {
			t.requests.Add(ctx, 1, with(serverAddress(req.URL, rulingAttributes(r))...))
		} else {
			t.requests.Add(ctx, 1, t.rulings.of(r)...)
		}
	}
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(rulingAttributes(r)...)
		if r.Lookup != "" {
			span.SetAttributes(lookupKey.String(r.Lookup))
		}
	}
}

func (t *teller) refused(req *http.Request, refusal error) {
	d, _ := polite.DecisionOf(refusal)
	attrs := []attribute.KeyValue{reasonKey.String(string(d.Reason))}
	if span := trace.SpanFromContext(req.Context()); span.IsRecording() {
		span.SetAttributes(attrs...)
	}
	if late, ok := errors.AsType[*polite.DelayError](refusal); ok {
		for _, err := range late.Unwrap() {
			attrs = withError(attrs, err)
		}
	}
	t.refusals.Add(req.Context(), 1, with(t.ofSite(req, attrs)...))
}

func (t *teller) waits(req *http.Request, _ time.Time) {
	t.waiting.Add(req.Context(), 1, with(t.ofSite(req, nil)...))
}

// waited also counts a request whose context has ended. An SDK might not.
func (t *teller) waited(req *http.Request, wait time.Duration, err error) {
	ctx := context.WithoutCancel(req.Context())
	t.waiting.Add(ctx, -1, with(t.ofSite(req, nil)...))
	t.wait.Record(ctx, wait.Seconds(), with(t.ofSite(req, withError(nil, err))...))
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.SetAttributes(waitKey.Float64(wait.Seconds()))
	}
}

func (t *teller) breakBegan(b polite.Limit) {
	t.breaks.Add(context.Background(), 1, with(t.ofOrigin(b.Origin, withStatus(nil, b.Status))...))
}

func (t *teller) blocked(req *http.Request, status int, trouble polite.Trouble) {
	attrs := withStatus([]attribute.KeyValue{troubleKey.String(string(trouble))}, status)
	t.blocks.Add(req.Context(), 1, with(t.ofSite(req, attrs)...))
}

// limited counts the beginning of a trouble of a site, and not how it goes on, or that of a Group.
func (t *teller) limited(l polite.Limit) {
	if l.Trouble != "" && l.Tries == 0 && !l.Group {
		t.troubles.Add(context.Background(), 1, with(t.ofOrigin(l.Origin, []attribute.KeyValue{troubleKey.String(string(l.Trouble))})...))
	}
}

func (t *teller) asked(f polite.Fetch) {
	attrs := withStatus([]attribute.KeyValue{resultKey.String(resultOf(f))}, f.Status)
	if kind := fetchErrorOf(f); kind != "" {
		attrs = append(attrs, errorTypeKey.String(kind))
	}
	t.fetch.Record(context.Background(), f.Took.Seconds(), with(t.ofOrigin(f.Origin, attrs)...))
}

func (t *teller) changed(string, *robots.File, *robots.File) { t.changes.Add(context.Background(), 1) }

func (t *teller) answered(req *http.Request, resp *http.Response) {
	if _, ok := provenance.PriceOf(resp); ok {
		t.prices.Add(req.Context(), 1)
	}
}

func (t *teller) called(c store.Call) {
	histogram, name := t.turns, c.Name
	switch c.Name {
	case "claim", "put":
		histogram = t.store
	case "take", "done", "break", "watch", "renew":
	default:
		name = other
	}
	histogram.Record(context.Background(), c.Took.Seconds(), with(withError([]attribute.KeyValue{operationKey.String(name)}, c.Err)...))
}

// ofSite adds the host of a request, if hosts are reported.
func (t *teller) ofSite(req *http.Request, attrs []attribute.KeyValue) []attribute.KeyValue {
	if !t.hosts {
		return attrs
	}
	return serverAddress(req.URL, attrs)
}

// ofOrigin adds the host of an origin, if hosts are reported.
func (t *teller) ofOrigin(origin string, attrs []attribute.KeyValue) []attribute.KeyValue {
	if !t.hosts {
		return attrs
	}
	u, err := url.Parse(origin)
	if err != nil {
		return attrs
	}
	return serverAddress(u, attrs)
}

func serverAddress(u *url.URL, attrs []attribute.KeyValue) []attribute.KeyValue {
	return append(attrs, serverAddressKey.String(u.Hostname()))
}

func withError(attrs []attribute.KeyValue, err error) []attribute.KeyValue {
	if err == nil {
		return attrs
	}
	return append(attrs, errorTypeKey.String(errorType(err)))
}

func with(attrs ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attrs...))
}

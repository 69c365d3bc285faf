package integration

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/otelpolite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// A lab measures a crawler that also uses otelhttp.
type lab struct {
	web      *origintest.Server
	reader   *metric.ManualReader
	exporter *tracetest.InMemoryExporter
	meters   *metric.MeterProvider
	tracers  *trace.TracerProvider
}

func newLab(t *testing.T) *lab {
	l := &lab{web: origintest.New(t), reader: metric.NewManualReader(), exporter: tracetest.NewInMemoryExporter()}
	l.web.Robots("example.com", origintest.Text(rules))
	l.meters = metric.NewMeterProvider(metric.WithReader(l.reader))
	l.tracers = trace.NewTracerProvider(trace.WithSyncer(l.exporter))
	return l
}

// transport returns an instrumented Transport on base.
func (l *lab) transport(t *testing.T, base http.RoundTripper) *polite.Transport {
	transport := &polite.Transport{UserAgent: userAgent, Base: base}
	require.NoError(t, (&otelpolite.Telemetry{MeterProvider: l.meters}).Instrument(transport))
	return transport
}

// otel returns base with otelhttp around it.
func (l *lab) otel(base http.RoundTripper) http.RoundTripper {
	return otelhttp.NewTransport(base, otelhttp.WithTracerProvider(l.tracers), otelhttp.WithMeterProvider(l.meters))
}

// spans fetches /a and /private, each in a span of the caller's, and returns all spans in
// the order in which they ended: what polite told them, and their status.
func (l *lab) spans(transport http.RoundTripper) (lines []string) {
	for _, path := range []string{"/a", "/private"} {
		ctx, span := l.tracers.Tracer("caller").Start(context.Background(), "caller "+path)
		through(&http.Client{Transport: transport})(ctx, "http://example.com"+path)
		span.End()
	}
	for _, span := range l.exporter.GetSpans() {
		lines = append(lines, fmt.Sprintf("%s:%s %v, %d events", span.Name, told(span), span.Status.Code, len(span.Events)))
	}
	return lines
}

// counts returns how many requests each metric has counted.
func (l *lab) counts(t *testing.T) map[string]int {
	var all metricdata.ResourceMetrics
	require.NoError(t, l.reader.Collect(t.Context(), &all))
	counts := make(map[string]int)
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					counts[m.Name] += int(p.Value)
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					counts[m.Name] += int(p.Count)
				}
			}
		}
	}
	return counts
}

// told returns the values of polite's attributes of a span, in the order of their names.
func told(span tracetest.SpanStub) (text string) {
	set := attribute.NewSet(span.Attributes...)
	for _, attr := range set.ToSlice() {
		if strings.HasPrefix(string(attr.Key), "polite.") {
			text += " " + attr.Value.String()
		}
	}
	return text
}

// With otelhttp outside, the span of the request tells what polite decided.
func TestOtelHTTPAroundOtelPolite(t *testing.T) {
	l := newLab(t)
	assert.Equal(t, []string{
		"HTTP GET: true miss no-rule Unset, 0 events", "caller /a: Unset, 0 events",
		"HTTP GET: false hit rule Error, 0 events", "caller /private: Unset, 0 events",
	}, l.spans(l.otel(l.transport(t, l.web.Transport(t)))))
	counts := l.counts(t)
	assert.Equal(t, 2, counts["http.client.request.duration"], "of pages, refused or not")
	assert.Equal(t, 2, counts["polite.requests"])
	assert.Equal(t, 1, counts["polite.refusals"])
	assert.Len(t, l.web.Log(), 2)
}

// With otelhttp inside, the span of the caller tells it. Each request that is sent has a span
// of its own, also the one for robots.txt.
func TestOtelHTTPInOtelPolite(t *testing.T) {
	l := newLab(t)
	assert.Equal(t, []string{
		"HTTP GET: Unset, 0 events", "HTTP GET: Unset, 0 events", "caller /a: true miss no-rule Unset, 0 events",
		"caller /private: false hit rule Unset, 0 events",
	}, l.spans(l.transport(t, l.otel(l.web.Transport(t)))))
	counts := l.counts(t)
	assert.Equal(t, 2, counts["http.client.request.duration"], "of what was sent")
	assert.Equal(t, 2, counts["polite.requests"])
	assert.Equal(t, 1, counts["polite.refusals"])
	assert.Equal(t, "GET http://example.com/robots.txt\nGET http://example.com/a\n", l.web.Log().String())
}

package otelpolite_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/otelpolite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	api "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"
)

// broken is a provider that makes no counters.
type broken struct{ noop.MeterProvider }

func (broken) Meter(string, ...api.MeterOption) api.Meter { return brokenMeter{} }

type brokenMeter struct{ noop.Meter }

func (brokenMeter) Int64Counter(string, ...api.Int64CounterOption) (api.Int64Counter, error) {
	return noop.Int64Counter{}, errNone
}

var errNone = errors.New("none today")

// warm returns a function that sends a request to a site that is known.
func warm(t testing.TB, ctx context.Context, telemetry *otelpolite.Telemetry) func() {
	resp := &http.Response{StatusCode: 200, Body: http.NoBody}
	base := origintest.RoundTripper(func(*http.Request) (*http.Response, error) { return resp, nil })
	transport := &polite.Transport{UserAgent: userAgent, Base: base}
	if telemetry != nil {
		require.NoError(t, telemetry.Instrument(transport))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://example.com/", nil)
	require.NoError(t, err)
	req.Header.Set("User-Agent", userAgent)
	send := func() { transport.RoundTrip(req) }
	for range 3 {
		send()
	}
	return send
}

func newTelemetry() *otelpolite.Telemetry {
	return &otelpolite.Telemetry{MeterProvider: metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))}
}

// Counting a request costs few allocations.
func TestAllocations(t *testing.T) {
	none := testing.AllocsPerRun(100, warm(t, t.Context(), nil))
	counted := testing.AllocsPerRun(100, warm(t, t.Context(), newTelemetry()))
	assert.Zero(t, none)
	assert.LessOrEqual(t, counted, 2.0, "no more than a Trace costs that does nothing")
}

package otelpolite_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/otelpolite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

// A world is a web, a crawler, and the measurements of the crawler.
type world struct {
	web       *origintest.Server
	reader    *metric.ManualReader
	telemetry *otelpolite.Telemetry
	transport *polite.Transport
}

func newWorld(t testing.TB) *world {
	w := &world{web: origintest.NewInMemory(t), reader: metric.NewManualReader()}
	w.telemetry = &otelpolite.Telemetry{MeterProvider: metric.NewMeterProvider(metric.WithReader(w.reader))}
	w.transport = w.newTransport(t)
	require.NoError(t, w.telemetry.Instrument(w.transport))
	return w
}

// newTransport returns a Transport that is not instrumented.
func (w *world) newTransport(t testing.TB) *polite.Transport {
	transport := &polite.Transport{UserAgent: userAgent, Base: w.web.Transport(t)}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// get fetches url through transport, if it can within timeout, and reads the page.
func get(ctx context.Context, transport http.RoundTripper, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// A point is the value of a metric for one set of attributes.
type point struct {
	count int64
	sum   time.Duration // of a histogram
	timed bool          // it belongs to a histogram
}

func (p point) String() string {
	unit := 2 * time.Second
	if p.sum > 2*time.Minute {
		unit = time.Minute // when polite asks again depends on chance
	}
	if p.timed {
		return fmt.Sprintf("%d in %v", p.count, p.sum.Round(unit))
	}
	return fmt.Sprint(p.count)
}

// A reading is all points by their metric and attributes. Both are written without
// "polite.".
type reading map[string]point

// metrics returns what the SDK exports.
func metrics(t testing.TB, reader metric.Reader) []metricdata.Metrics {
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(context.Background(), &all))
	if len(all.ScopeMetrics) == 0 {
		return nil
	}
	require.Len(t, all.ScopeMetrics, 1)
	return all.ScopeMetrics[0].Metrics
}

func read(t testing.TB, reader metric.Reader) reading {
	r := make(reading)
	for _, m := range metrics(t, reader) {
		each(t, m, func(set attribute.Set, p point) { r[keyOf(m.Name, set)] = p })
	}
	return r
}

// each calls f with each point of m.
func each(t testing.TB, m metricdata.Metrics, f func(attribute.Set, point)) {
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			f(p.Attributes, point{count: p.Value})
		}
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			f(p.Attributes, point{count: int64(p.Value * 1000)})
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			f(p.Attributes, point{int64(p.Count), time.Duration(p.Sum * float64(time.Second)), true})
		}
	default:
		require.Fail(t, "another kind of metric", "%s: %T", m.Name, data)
	}
}

func keyOf(name string, set attribute.Set) string {
	var attrs []string
	for _, attr := range set.ToSlice() {
		attrs = append(attrs, strings.TrimPrefix(string(attr.Key), "polite.")+"="+attr.Value.String())
	}
	return strings.TrimPrefix(name, "polite.") + "{" + strings.Join(attrs, " ") + "}"
}

// since returns what is new in r, in order. The size of the memory does not count.
func (r reading) since(last reading) (lines []string) {
	for _, key := range slices.Sorted(maps.Keys(r)) {
		now, before := r[key], last[key]
		if now.count != before.count && key != "cache.size{}" {
			lines = append(lines, fmt.Sprintf("%s %v", key, point{now.count - before.count, now.sum - before.sum, now.timed}))
		}
	}
	return lines
}

// total returns the count of all points of a metric for which the attributes have all of
// these texts.
func (r reading) total(metric string, attrs ...string) (n int64) {
	for key, p := range r {
		of, set, _ := strings.Cut(strings.TrimSuffix(key, "}"), "{")
		has := func(attr string) bool { return slices.Contains(strings.Fields(set), attr) }
		if of == metric && !slices.ContainsFunc(attrs, func(attr string) bool { return !has(attr) }) {
			n += p.count
		}
	}
	return n
}

// A step is something that a crawler does, the measurements that change, and the requests
// that arrive.
type step struct {
	do      func(w *world)
	want    []string
	arrives string // the paths in alphabetical order
}

// run takes a step and compares.
func (w *world) run(t *testing.T, name string, s step) {
	before := read(t, w.reader)
	w.web.Take()
	s.do(w)
	synctest.Wait()
	slices.Sort(s.want)
	assert.Equal(t, s.want, read(t, w.reader).since(before), name)
	paths := w.web.Log().URIs()
	slices.Sort(paths) // robots.txt may come in the background
	assert.Equal(t, s.arrives, strings.Join(paths, " "), name)
}

// visit returns a step that fetches url, once some time has passed.
func visit(url string, after time.Duration) func(w *world) {
	return func(w *world) {
		time.Sleep(after)
		get(context.Background(), w.transport, url)
	}
}

// visitFor is visit for a request that gives up after some time.
func visitFor(url string, patience time.Duration) func(w *world) {
	return func(w *world) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		get(ctx, w.transport, url)
	}
}

// visitUntil is visit for a request that is cancelled after some time.
func visitUntil(url string, cancelled time.Duration) func(w *world) {
	return func(w *world) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(cancelled, cancel)
		get(ctx, w.transport, url)
	}
}

// maxAge makes an answer expire after five minutes, and gives it an ETag.
func maxAge(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=300")
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, body)
	}
}

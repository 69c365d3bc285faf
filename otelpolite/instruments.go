package otelpolite

import (
	"errors"

	"github.com/go-polite/polite"
	"go.opentelemetry.io/otel/metric"
)

// instruments are the instruments of a Telemetry.
type instruments struct {
	requests, refusals, breaks, blocks, troubles, changes, prices metric.Int64Counter
	waiting                                                       metric.Int64UpDownCounter
	wait, fetch, store, turns                                     metric.Float64Histogram
	caches                                                        *caches
}

// Bounds of buckets, in seconds.
var (
	waitBounds  = []float64{0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}
	fetchBounds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}
	callBounds  = []float64{0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5}
)

func newInstruments(meter metric.Meter) (*instruments, error) {
	m := &maker{meter: meter}
	i := &instruments{
		requests: m.counter("polite.requests", "{request}", "Requests that were judged, by what decided and whether robots.txt allows them."),
		refusals: m.counter("polite.refusals", "{request}", "Requests that were refused, and so not sent."),
		waiting:  m.upDownCounter("polite.waiting", "{request}", "Requests that wait for their turn now."),
		wait:     m.histogram("polite.wait.duration", "How long requests waited for their turn. Requests that did not wait are not counted. A page of package queue waits from its first try: the pages behind it do not wait yet.", waitBounds),
		breaks:   m.counter("polite.breaks", "{break}", "Answers that began a break or made one longer: by Retry-After, or because of trouble that polite found."),
		blocks:   m.counter("polite.blocks", "{answer}", "Answers that look like a block: 403, or the challenge of a wall."),
		troubles: m.counter("polite.troubles", "{trouble}", "Times in which a site began to have too much to do, by what was wrong."),
		fetch:    m.histogram("polite.robots.fetch.duration", "How long fetches of robots.txt took, with redirects and retries.", fetchBounds),
		changes:  m.counter("polite.robots.changes", "{change}", "Changes of the rules of sites."),
		prices:   m.counter("polite.prices", "{answer}", "Answers with status 402 that named a price."),
		store:    m.histogram("polite.store.operation.duration", "How long calls of the Store took.", callBounds),
		turns:    m.histogram("polite.turns.operation.duration", "How long calls of Turns took.", callBounds),
		caches:   &caches{all: make(map[*polite.Cache]bool)},
	}
	return i, errors.Join(m.failed...)
}

// A maker makes instruments, and collects the errors.
type maker struct {
	meter  metric.Meter
	failed []error
}

// made returns an instrument, and collects its error.
func made[T any](m *maker, instrument T, err error) T {
	m.failed = append(m.failed, err)
	return instrument
}

func (m *maker) counter(name, unit, description string) metric.Int64Counter {
	c, err := m.meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
	return made(m, c, err)
}

func (m *maker) upDownCounter(name, unit, description string) metric.Int64UpDownCounter {
	c, err := m.meter.Int64UpDownCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
	return made(m, c, err)
}

func (m *maker) histogram(name, description string, bounds []float64) metric.Float64Histogram {
	h, err := m.meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(bounds...))
	return made(m, h, err)
}

package otelpolite

import "go.opentelemetry.io/otel/metric"

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

func (m *maker) total(name, unit, description string) metric.Int64ObservableCounter {
	c, err := m.meter.Int64ObservableCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
	return made(m, c, err)
}

func (m *maker) gauge(name, description string) metric.Float64ObservableGauge {
	g, err := m.meter.Float64ObservableGauge(name, metric.WithUnit("s"), metric.WithDescription(description))
	return made(m, g, err)
}

func (m *maker) level(name, unit, description string) metric.Int64ObservableUpDownCounter {
	c, err := m.meter.Int64ObservableUpDownCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
	return made(m, c, err)
}

package otelpolite

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store"
	"go.opentelemetry.io/otel/metric"
)

// caches observe what some Caches keep, what they have done, and how they fare with their Turns. They
// observe the sum of all Caches: an SDK may not add the numbers of each.
type caches struct {
	mu  sync.Mutex
	all map[*polite.Cache]bool
}

// A sum is that of all Caches. Its times are those of the Cache that has the longest.
type sum struct {
	polite.Stats // stale answers are no hits here
	store.Health
	deaf, differences int
}

// An observed is an instrument for a number of a sum.
type observed struct {
	kind                    observedKind
	name, unit, description string
	value                   func(sum) float64
}

type observedKind int

const (
	total observedKind = iota
	level
	gauge
)

// ofCaches are the instruments of all Caches.
var ofCaches = []observed{
	{total, "polite.cache.recalls", "{answer}", "Answers that came from the Store, and not from the site.", func(s sum) float64 { return float64(s.Recalled) }},
	{total, "polite.cache.evictions", "{origin}", "Origins that the Cache forgot to stay within MaxBytes.", func(s sum) float64 { return float64(s.Evictions) }},
	{level, "polite.cache.origins", "{origin}", "Origins that the Cache knows now.", func(s sum) float64 { return float64(s.Origins) }},
	{level, "polite.cache.files", "{file}", "Different files in the Cache now.", func(s sum) float64 { return float64(s.Files) }},
	{level, "polite.cache.size", "By", "Memory for the origins, the files and the turns.", func(s sum) float64 { return float64(s.Bytes) }},
}

// ofTurns are those of the Caches that have Turns.
var ofTurns = []observed{
	{total, "polite.turns.starts.lost", "{start}", "Starts that Turns had reserved and no request was ready for.", func(s sum) float64 { return float64(s.LostStarts) }},
	{total, "polite.turns.slots.lost", "{request}", "Requests that were ended because their slots could not be renewed.", func(s sum) float64 { return float64(s.LostSlots) }},
	{total, "polite.turns.drops", "{drop}", "How often all reservations were dropped, because Turns may have lost them.", func(s sum) float64 { return float64(s.Dropped) }},
	{total, "polite.turns.breaks.retold", "{break}", "Breaks that Turns was told again.", func(s sum) float64 { return float64(s.Retold) }},
	{total, "polite.turns.overdue", "{request}", "Requests that were written too late for the turn that Turns had reserved.", func(s sum) float64 { return float64(s.Overdue) }},
	{level, "polite.turns.deaf", "{cache}", "Caches that do not hear of the breaks of other processes now.", func(s sum) float64 { return float64(s.deaf) }},
	{level, "polite.turns.differences", "{setting}", "Settings that other processes have otherwise now.", func(s sum) float64 { return float64(s.differences) }},
	{gauge, "polite.turns.slack", "s", "How much later than reserved a request may start: it grows as calls of Turns become slow.", func(s sum) float64 { return s.Slack.Seconds() }},
	{gauge, "polite.turns.lead", "s", "How long before its start a request begins to connect: it grows as connecting becomes slow.", func(s sum) float64 { return s.Lead.Seconds() }},
}

// make returns the instrument, and what observes it.
func (i observed) make(m metric.Meter) (made metric.Observable, observe func(metric.Observer, sum), err error) {
	var ints metric.Int64Observable
	switch i.kind {
	case gauge:
		floats, err := m.Float64ObservableGauge(i.name, metric.WithUnit(i.unit), metric.WithDescription(i.description))
		return floats, func(o metric.Observer, s sum) { o.ObserveFloat64(floats, i.value(s)) }, err
	case level:
		ints, err = m.Int64ObservableUpDownCounter(i.name, metric.WithUnit(i.unit), metric.WithDescription(i.description))
	default:
		ints, err = m.Int64ObservableCounter(i.name, metric.WithUnit(i.unit), metric.WithDescription(i.description))
	}
	return ints, func(o metric.Observer, s sum) { o.ObserveInt64(ints, int64(i.value(s))) }, err
}

// register makes the instruments of the Caches, and has them observed.
func (c *caches) register(m metric.Meter) (metric.Registration, error) {
	lookups, err := m.Int64ObservableCounter("polite.cache.lookups", metric.WithUnit("{lookup}"),
		metric.WithDescription("Requests that looked for robots.txt in the Cache, by what they found."))
	all, failed := []metric.Observable{lookups}, []error{err}
	var observes []func(metric.Observer, sum)
	for _, i := range slices.Concat(ofCaches, ofTurns) {
		made, observe, err := i.make(m)
		all, observes, failed = append(all, made), append(observes, observe), append(failed, err)
	}
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	return m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := c.sum()
		for lookup, n := range map[string]uint64{"hit": s.Hits, "stale": s.Stale, "miss": s.Misses} {
			o.ObserveInt64(lookups, int64(n), with(lookupKey.String(lookup)))
		}
		for n, observe := range observes {
			if n < len(ofCaches) || s.Shared {
				observe(o, s)
			}
		}
		return nil
	}, all...)
}

func (c *caches) add(cache *polite.Cache) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[cache] = true
}

func (c *caches) sum() (s sum) {
	c.mu.Lock()
	all := slices.Collect(maps.Keys(c.all))
	c.mu.Unlock()
	for _, cache := range all {
		stats, health := cache.Stats(), cache.Health()
		s.Hits += stats.Hits - min(stats.Stale, stats.Hits)
		s.Stale += stats.Stale
		s.Misses += stats.Misses
		s.Recalled += stats.Recalled
		s.Evictions += stats.Evictions
		s.Origins += stats.Origins
		s.Files += stats.Files
		s.Bytes += stats.Bytes

		s.Shared = s.Shared || health.Shared
		s.LostStarts += health.LostStarts
		s.LostSlots += health.LostSlots
		s.Dropped += health.Dropped
		s.Retold += health.Retold
		s.Overdue += health.Overdue
		s.Slack, s.Lead = max(s.Slack, health.Slack), max(s.Lead, health.Lead)
		s.differences += len(health.Differences)
		if health.Deaf {
			s.deaf++
		}
	}
	return s
}

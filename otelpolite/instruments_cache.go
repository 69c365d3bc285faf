package otelpolite

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/go-polite/polite"
	"go.opentelemetry.io/otel/metric"
)

// caches observe what some Caches keep, and what they have done. They observe the sum of
// all Caches: an SDK may not add the numbers of each.
type caches struct {
	lookups, recalls, evictions metric.Int64ObservableCounter
	origins, files, size        metric.Int64ObservableUpDownCounter
	health                      *health

	mu  sync.Mutex
	all map[*polite.Cache]bool
}

func newCaches(m *maker) *caches {
	return &caches{
		lookups:   m.total("polite.cache.lookups", "{lookup}", "Requests that looked for robots.txt in the Cache, by what they found."),
		recalls:   m.total("polite.cache.recalls", "{answer}", "Answers that came from the Store, and not from the site."),
		evictions: m.total("polite.cache.evictions", "{origin}", "Origins that the Cache forgot to stay within MaxBytes."),
		origins:   m.level("polite.cache.origins", "{origin}", "Origins that the Cache knows now."),
		files:     m.level("polite.cache.files", "{file}", "Different files in the Cache now."),
		size:      m.level("polite.cache.size", "By", "Memory for the origins, the files and the turns."),
		health:    newHealth(m),
		all:       make(map[*polite.Cache]bool),
	}
}

func (c *caches) register(meter metric.Meter) (metric.Registration, error) {
	all := append(c.health.all(), c.lookups, c.recalls, c.evictions, c.origins, c.files, c.size)
	return meter.RegisterCallback(c.observe, all...)
}

func (c *caches) add(cache *polite.Cache) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[cache] = true
}

func (c *caches) observe(_ context.Context, o metric.Observer) error {
	s := c.sum()
	for lookup, n := range map[string]uint64{"hit": s.Hits, "stale": s.Stale, "miss": s.Misses} {
		o.ObserveInt64(c.lookups, int64(n), with(lookupKey.String(lookup)))
	}
	o.ObserveInt64(c.recalls, int64(s.Recalled))
	o.ObserveInt64(c.evictions, int64(s.Evictions))
	o.ObserveInt64(c.origins, int64(s.Origins))
	o.ObserveInt64(c.files, int64(s.Files))
	o.ObserveInt64(c.size, s.Bytes)
	c.health.observe(o, c.list())
	return nil
}

// list returns all Caches.
func (c *caches) list() []*polite.Cache {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.all))
}

// sum returns the sum of the Stats of all Caches. Unlike in Stats, stale answers are no
// hits.
func (c *caches) sum() (sum polite.Stats) {
	for _, cache := range c.list() {
		s := cache.Stats()
		sum.Hits += s.Hits - min(s.Stale, s.Hits)
		sum.Stale += s.Stale
		sum.Misses += s.Misses
		sum.Recalled += s.Recalled
		sum.Evictions += s.Evictions
		sum.Origins += s.Origins
		sum.Files += s.Files
		sum.Bytes += s.Bytes
	}
	return sum
}

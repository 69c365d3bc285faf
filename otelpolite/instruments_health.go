package otelpolite

import (
	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store"
	"go.opentelemetry.io/otel/metric"
)

// A health observes how some Caches fare with their Turns. Counts are sums, and times are
// those of the Cache that has the longest.
type health struct {
	lostStarts, lostSlots, drops, retold, overdue metric.Int64ObservableCounter
	deaf, differences                             metric.Int64ObservableUpDownCounter
	slack, lead                                   metric.Float64ObservableGauge
}

func newHealth(m *maker) *health {
	return &health{
		lostStarts:  m.total("polite.turns.starts.lost", "{start}", "Starts that Turns had reserved and no request was ready for."),
		lostSlots:   m.total("polite.turns.slots.lost", "{request}", "Requests that were ended because their slots could not be renewed."),
		drops:       m.total("polite.turns.drops", "{drop}", "How often all reservations were dropped, because Turns may have lost them."),
		retold:      m.total("polite.turns.breaks.retold", "{break}", "Breaks that Turns was told again."),
		overdue:     m.total("polite.turns.overdue", "{request}", "Requests that were written too late for the turn that Turns had reserved."),
		deaf:        m.level("polite.turns.deaf", "{cache}", "Caches that do not hear of the breaks of other processes now."),
		differences: m.level("polite.turns.differences", "{setting}", "Settings that other processes have otherwise now."),
		slack:       m.gauge("polite.turns.slack", "How much later than reserved a request may start: it grows as calls of Turns become slow."),
		lead:        m.gauge("polite.turns.lead", "How long before its start a request begins to connect: it grows as connecting becomes slow."),
	}
}

func (h *health) all() []metric.Observable {
	return []metric.Observable{h.lostStarts, h.lostSlots, h.drops, h.retold, h.overdue, h.deaf, h.differences, h.slack, h.lead}
}

// observe observes the Caches that have Turns. If none has, it observes nothing.
func (h *health) observe(o metric.Observer, caches []*polite.Cache) {
	var sum store.Health
	deaf, differences := int64(0), int64(0)
	for _, cache := range caches {
		one := cache.Health()
		sum.Shared = sum.Shared || one.Shared
		sum.LostStarts += one.LostStarts
		sum.LostSlots += one.LostSlots
		sum.Dropped += one.Dropped
		sum.Retold += one.Retold
		sum.Overdue += one.Overdue
		sum.Slack, sum.Lead = max(sum.Slack, one.Slack), max(sum.Lead, one.Lead)
		differences += int64(len(one.Differences))
		if one.Deaf {
			deaf++
		}
	}
	if !sum.Shared {
		return
	}
	o.ObserveInt64(h.lostStarts, int64(sum.LostStarts))
	o.ObserveInt64(h.lostSlots, int64(sum.LostSlots))
	o.ObserveInt64(h.drops, int64(sum.Dropped))
	o.ObserveInt64(h.retold, int64(sum.Retold))
	o.ObserveInt64(h.overdue, int64(sum.Overdue))
	o.ObserveInt64(h.deaf, deaf)
	o.ObserveInt64(h.differences, differences)
	o.ObserveFloat64(h.slack, sum.Slack.Seconds())
	o.ObserveFloat64(h.lead, sum.Lead.Seconds())
}

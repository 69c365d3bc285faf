package otelpolite

import (
	"errors"
	"sync"

	"github.com/go-polite/polite"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
)

// scope is the name of the instrumentation scope.
const scope = "github.com/go-polite/polite/otelpolite"

// A Telemetry reports to OpenTelemetry what Transports do. The zero Telemetry is ready
// for use. Transports that share a Cache need the same Telemetry: two of them would count
// the Cache twice. It is safe for concurrent use. Do not copy it, and do not change its
// fields after its first use.
type Telemetry struct {
	// MeterProvider makes the instruments. If nil, it is otel.GetMeterProvider().
	MeterProvider metric.MeterProvider

	// ServerAddress adds server.address, the host of the site, to polite.requests,
	// polite.refusals, polite.waiting, polite.wait.duration, polite.breaks, polite.blocks, polite.troubles
	// and polite.robots.fetch.duration. A metric then has series for each site, which cost memory for as long as the process lives. Set it
	// only if your crawler visits some hundred sites, and you have chosen them. A site
	// that redirects requests, or links to many hosts, can then fill your memory and your
	// bill.
	ServerAddress bool

	mu         sync.Mutex
	teller     *teller // nil before the first use
	transports map[*polite.Transport]bool
	observing  metric.Registration
}

// Instrument makes transport report what it does. Call it before the first use of
// transport. The Trace that transport has already is called first. If transport has no
// Cache, it gets one. Several Transports can share a Cache, which counts once. A second
// call for the same Transport does nothing. The error says which instruments the
// MeterProvider did not make; transport is not changed then.
//
// The Telemetry keeps transport and its Cache until Unregister.
func (t *Telemetry) Instrument(transport *polite.Transport) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.transports[transport] {
		return nil
	}
	if err := t.setup(); err != nil {
		return err
	}
	if transport.Cache == nil {
		transport.Cache = new(polite.Cache)
	}
	t.teller.caches.add(transport.Cache)
	transport.Trace = t.teller.after(transport.Trace)
	t.transports[transport] = true
	return nil
}

// Unregister ends the observation of the Caches, and forgets all Transports. Transports
// that were instrumented still count their requests: do not instrument them again.
func (t *Telemetry) Unregister() error {
	t.mu.Lock()
	observing := t.observing
	t.teller, t.transports, t.observing = nil, nil, nil
	t.mu.Unlock()
	if observing == nil {
		return nil
	}
	return observing.Unregister() // without the lock: the SDK may wait for a callback
}

// setup makes the instruments, if there are none.
func (t *Telemetry) setup() error {
	if t.teller != nil {
		return nil
	}
	provider := t.MeterProvider
	if provider == nil {
		provider = otel.GetMeterProvider()
	}
	meter := provider.Meter(scope)
	i, err := newInstruments(meter)
	observing, failed := i.caches.register(meter)
	if err = errors.Join(err, failed); err != nil {
		if observing != nil {
			observing.Unregister()
		}
		return err
	}
	t.observing = observing
	t.teller = &teller{instruments: i, hosts: t.ServerAddress, rulings: newRulings()}
	t.transports = make(map[*polite.Transport]bool)
	return nil
}

package ask

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"golang.org/x/sync/singleflight"
)

// flights are the requests for robots.txt that are under way. There is one for an
// origin, and it serves all who wait for the answer.
type flights struct {
	calls singleflight.Group

	mu    sync.Mutex
	under map[origin.Origin]*flight
}

// A flight ends when nobody waits for it any more, unless it is a refresh.
type flight struct {
	ctx     context.Context // it has the flight under inFlight{}
	end     context.CancelCauseFunc
	waiting int
	refresh bool
}

type inFlight struct{}

// An ask asks an origin for its robots.txt and returns what is known then. Also a
// failed fetch makes a Known. The error says that there is nothing to keep. Whoever
// needs the capacity of the fetch calls end.
type ask func(ctx context.Context, end context.CancelCauseFunc) (*memory.Known, error)

var (
	errNobodyWaits = errors.New("nobody waits for robots.txt any more")
	errOwnAnswer   = errors.New("polite: Base waits for the robots.txt that it is to fetch: give it a Cache of its own")
)

// refresh asks o in the background.
func (f *flights) refresh(o origin.Origin, ask ask) {
	f.mu.Lock()
	defer f.mu.Unlock()
	flight, _ := f.join(o, ask)
	flight.refresh = true
}

// wait asks o and waits for the answer, until ctx ends. If others wait for it already,
// wait joins them.
func (f *flights) wait(ctx context.Context, o origin.Origin, ask ask) (*memory.Known, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f.mu.Lock()
	flight, landed := f.join(o, ask)
	flight.waiting++
	f.mu.Unlock()
	defer f.leave(o, flight)
	if ctx.Value(inFlight{}) == flight {
		return nil, errOwnAnswer
	}
	select {
	case landed := <-landed:
		k, _ := landed.Val.(*memory.Known)
		return k, landed.Err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// join returns the flight for o that is under way, or begins one. It is called
// with f.mu locked.
func (f *flights) join(o origin.Origin, ask ask) (*flight, <-chan singleflight.Result) {
	flying := f.under[o]
	if flying == nil {
		flying = new(flight)
		ctx, end := context.WithCancelCause(context.Background())
		flying.ctx, flying.end = context.WithValue(ctx, inFlight{}, flying), end
		if f.under == nil {
			f.under = make(map[origin.Origin]*flight)
		}
		f.under[o] = flying
	}
	return flying, f.calls.DoChan(o.Key(), func() (any, error) { return f.run(o, flying, ask) })
}

func (f *flights) run(o origin.Origin, flying *flight, ask ask) (*memory.Known, error) {
	defer f.land(o, flying)
	return guard(func() (*memory.Known, error) { return ask(flying.ctx, flying.end) })
}

// landed is land for the flight of ctx. Those who wait for it wait until its ask returns.
func (f *flights) landed(ctx context.Context, o origin.Origin) {
	if flying, ok := ctx.Value(inFlight{}).(*flight); ok {
		f.land(o, flying)
	}
}

// land lets the next who asks begin another flight.
func (f *flights) land(o origin.Origin, landed *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(o, landed)
	landed.end(nil)
}

// leave is called when one stops to wait. It ends a flight that nobody waits for any
// more, unless it is a refresh.
func (f *flights) leave(o origin.Origin, flying *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	flying.waiting--
	if flying.waiting == 0 && !flying.refresh {
		f.forget(o, flying)
		flying.end(errNobodyWaits)
	}
}

func (f *flights) forget(o origin.Origin, flying *flight) {
	if f.under[o] == flying {
		delete(f.under, o)
		f.calls.Forget(o.Key())
	}
}

// guard calls ask, which is in part the user's code. Neither a panic in it nor
// runtime.Goexit harms the requests that wait for the answer.
func guard(ask func() (*memory.Known, error)) (k *memory.Known, err error) {
	err = errors.New("polite: the goroutine that asked for robots.txt was ended by the transport")
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("polite: panic while asking for robots.txt: %s", printable.Text(fmt.Sprint(p)))
			}
		}()
		k, err = ask()
	}()
	<-done
	return k, err
}

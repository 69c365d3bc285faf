package otelpolite_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An engine is a Store and Turns that counts its calls. It can fail, and it can hang.
type engine struct {
	memstore.Entries
	memstore.Turns

	mu    sync.Mutex
	calls map[string]int
	err   error
	hangs bool
}

func (e *engine) call(ctx context.Context, name string) error {
	e.count(name)
	if e.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return e.err
}

func (e *engine) count(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.calls == nil {
		e.calls = make(map[string]int)
	}
	e.calls[name]++
}

func (e *engine) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	if err := e.call(ctx, "claim"); err != nil {
		return store.Claim{}, err
	}
	return e.Entries.Claim(ctx, key, seen, lease)
}

func (e *engine) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	if err := e.call(ctx, "put"); err != nil {
		return err
	}
	return e.Entries.Put(ctx, key, token, record, keep)
}

func (e *engine) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if err := e.call(ctx, "take"); err != nil {
		return store.Grant{}, err
	}
	return e.Turns.Take(ctx, lane, ask)
}

func (e *engine) Done(ctx context.Context, lane, token string, unused bool) error {
	if err := e.call(ctx, "done"); err != nil {
		return err
	}
	return e.Turns.Done(ctx, lane, token, unused)
}

func (e *engine) Break(ctx context.Context, lane string, wait time.Duration) error {
	if err := e.call(ctx, "break"); err != nil {
		return err
	}
	return e.Turns.Break(ctx, lane, wait)
}

// Teach tells of a break, as Break does.
func (e *engine) Teach(ctx context.Context, lane string, wait time.Duration, lesson string, keep time.Duration) error {
	if err := e.call(ctx, "break"); err != nil {
		return err
	}
	return e.Turns.Teach(ctx, lane, wait, lesson, keep)
}

func (e *engine) Watch(ctx context.Context, f func(store.Change)) error {
	if e.err != nil {
		e.count("watch")
		return e.err
	}
	return e.Turns.Watch(ctx, f)
}

// operations are the calls of a Store and of Turns that are measured, by their metric.
var operations = map[string]string{
	"claim": "store.operation.duration", "put": "store.operation.duration",
	"take": "turns.operation.duration", "done": "turns.operation.duration", "break": "turns.operation.duration",
	"watch": "turns.operation.duration",
}

// use lets a crawler with e go to a site with a crawl-delay that asks for a break, twice.
func use(t *testing.T, w *world, e *engine) *polite.Transport {
	transport := w.newTransport(t)
	transport.Cache = &polite.Cache{Store: e, Turns: e}
	transport.Pace.Concurrency = 1
	require.NoError(t, w.telemetry.Instrument(transport))
	for _, path := range []string{"/1", "/busy", "/2"} {
		get(t.Context(), transport, "http://a.example"+path)
		time.Sleep(15 * time.Second) // longer than a slot that is given back to a store that hangs
	}
	return transport
}

// Each call of the Store and of Turns is measured, by what it was and by how it ended.
func TestOperations(t *testing.T) {
	for name, test := range map[string]struct {
		engine *engine
		failed string // the error.type of each
		sent   int    // pages
	}{
		"works": {&engine{}, "", 3},
		"fails": {&engine{err: errors.New("https://a.example/ is full")}, "error.type=_OTHER", 0},
		"hangs": {&engine{hangs: true}, "error.type=timeout", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				set(w.web)
				use(t, w, test.engine)
				r := read(t, w.reader)
				for name, metric := range operations {
					attrs := []string{"operation=" + name}
					if test.failed != "" {
						attrs = append(attrs, test.failed)
					}
					assert.EqualValues(t, test.engine.calls[name], r.total(metric, attrs...), name)
					assert.EqualValues(t, test.engine.calls[name], r.total(metric, attrs[0]), name)
				}
				assert.Len(t, w.web.Log().Pages(), test.sent)
				assert.EqualValues(t, 3-test.sent, r.total("refusals", "reason=delayed"))
				if test.failed != "" {
					assert.EqualValues(t, 3, r.total("refusals", "reason=delayed", test.failed))
				}
			})
		})
	}
}

// What comes from the Store is counted.
func TestRecalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, e := newWorld(t), new(engine)
		set(w.web)
		use(t, w, e)
		assert.Zero(t, read(t, w.reader).total("cache.recalls"))
		use(t, w, e)
		assert.EqualValues(t, 1, read(t, w.reader).total("cache.recalls"))
		assert.Len(t, w.web.Log().Robots(), 1)
	})
}

// Requests that are written too late are counted.
func TestOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.web.Robots("a.example", origintest.Text(rules))
		transport := w.newTransport(t)
		transport.Cache = &polite.Cache{Turns: new(memstore.Turns)}
		transport.Base = origintest.Standstill{Base: transport.Base, Long: time.Second}
		require.NoError(t, w.telemetry.Instrument(transport))
		for range 3 {
			require.NoError(t, get(t.Context(), transport, "http://a.example/"))
		}
		assert.EqualValues(t, 3, read(t, w.reader).total("turns.overdue"))
	})
}

// Caches that do not hear of the breaks of others are counted. One without Turns has none to hear of.
func TestDeaf(t *testing.T) {
	for _, deaf := range []int{0, 1, 2} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			for n := range 3 {
				turns := &engine{}
				if n < deaf {
					turns.err = errors.New("nobody speaks")
				}
				transport := w.newTransport(t)
				if transport.Cache = new(polite.Cache); n < 2 {
					transport.Cache.Turns = turns
				}
				require.NoError(t, w.telemetry.Instrument(transport))
				get(t.Context(), transport, "http://a.example/")
			}
			time.Sleep(time.Second)
			for range 20 { // in whatever order
				r := read(t, w.reader)
				require.Contains(t, r, "turns.deaf{}")
				assert.EqualValues(t, deaf, r.total("turns.deaf"))
			}
		})
	}
}

// unrenewed is an engine that renews no slot.
type unrenewed struct{ engine }

func (*unrenewed) Renew(context.Context, time.Duration, map[string]string) ([]string, error) {
	return nil, errors.New("off")
}

// What happens to the turns of several Caches is added.
func TestLostSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.web.Page("a.example", "/open", func(rw http.ResponseWriter, r *http.Request) {
			rw.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		for range 2 {
			e, transport := new(unrenewed), w.newTransport(t)
			transport.Cache = &polite.Cache{Store: e, Turns: e}
			transport.Pace.Concurrency = 1
			require.NoError(t, w.telemetry.Instrument(transport))
			go get(t.Context(), transport, "http://a.example/open")
		}
		time.Sleep(10 * time.Minute)
		assert.EqualValues(t, 2, read(t, w.reader).total("turns.slots.lost"))
	})
}

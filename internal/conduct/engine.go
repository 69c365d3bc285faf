package conduct

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/require"
)

// An Engine is a Store and Turns. It counts claims, and its parts can be cut off.
type Engine struct {
	*memstore.Store
	Claims atomic.Int64
	Reads  atomic.Bool       // false: Claim fails
	Hold   atomic.Int64      // how long Claim and Put take to return
	Lag    atomic.Int64      // how long news take
	Cuts   chan struct{}     // ends a Watch
	Tells  chan store.Change // told by a Watch, beside the others
}

// NewEngine returns an Engine that answers at once.
func NewEngine() *Engine {
	e := &Engine{Store: new(memstore.Store), Cuts: make(chan struct{}), Tells: make(chan store.Change)}
	e.Reads.Store(true)
	return e
}

// Claim takes as long as Hold to answer.
func (e *Engine) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	e.Claims.Add(1)
	if !e.Reads.Load() {
		return store.Claim{}, ErrOff
	}
	c, err := e.Store.Claim(ctx, key, seen, lease)
	time.Sleep(time.Duration(e.Hold.Load()))
	return c, err
}

// Put takes as long as Hold to return.
func (e *Engine) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	err := e.Store.Put(ctx, key, token, record, keep)
	time.Sleep(time.Duration(e.Hold.Load()))
	return err
}

// Watch tells what others have changed, and what the test sends to Tells.
func (e *Engine) Watch(ctx context.Context, f func(store.Change)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex // one at a time
	var also sync.WaitGroup
	defer also.Wait()
	also.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-e.Cuts:
				cancel()
			case c := <-e.Tells:
				mu.Lock()
				f(c)
				mu.Unlock()
			}
		}
	})
	return e.Store.Watch(ctx, func(c store.Change) {
		if c.Key != "" {
			time.Sleep(time.Duration(e.Lag.Load()))
		}
		mu.Lock()
		defer mu.Unlock()
		f(c)
	})
}

// ExampleKey is the key of the entry of example.com.
const ExampleKey = "examplebot http://example.com"

// Replace puts another record of example.com, as a process does that has asked the site.
func (e *Engine) Replace(t testing.TB, robots string) {
	e.put(t, &entry.Answer{Status: 200, MaxAge: -1, Body: []byte(robots)})
}

func (e *Engine) put(t testing.TB, answer *entry.Answer) {
	last, err := e.Store.Claim(t.Context(), ExampleKey, "", 0)
	require.NoError(t, err)
	c, err := e.Store.Claim(t.Context(), ExampleKey, last.Version, time.Minute)
	require.NoError(t, err)
	r := entry.Entry{Answer: answer}
	require.NoError(t, e.Store.Put(t.Context(), ExampleKey, c.Token, r.Encode(ExampleKey), 1000*time.Hour))
	synctest.Wait()
}

// Listen lets a process hear for a while. It needs requests for that.
func Listen(t testing.TB, transport *polite.Transport, d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(5 * time.Second) {
		Fetch(t, transport, "http://other.example/")
	}
}

// Fetch sends a request that must be answered.
func Fetch(t testing.TB, transport *polite.Transport, url string) {
	t.Helper()
	_, err := Get(Client(transport), url)
	require.NoError(t, err)
}

// Process returns the transport of a process that shares store with others. Its memory
// is empty.
func Process(t testing.TB, web *origintest.Server, store store.Store) *polite.Transport {
	transport := NewTransport(t, web)
	transport.Cache = &polite.Cache{Store: store}
	return transport
}

// Decide returns the decision on a path of example.com.
func Decide(t testing.TB, transport *polite.Transport, path string) polite.Decision {
	d, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "example.com", Path: path})
	require.NoError(t, err)
	return d
}

// ErrOff is what an Engine answers that cannot be reached.
var ErrOff = errors.New("switched off")

// Patient returns a transport whose fetches of robots.txt take up to 30 seconds.
func Patient(t testing.TB, web *origintest.Server, pace polite.Pace) *polite.Transport {
	transport := NewTransport(t, web)
	transport.Policy, transport.Pace = polite.Policy{Timeout: 30 * time.Second}, pace
	return transport
}

// Engineless is Turns whose engine is gone.
type Engineless struct{ Err error }

func (f Engineless) Take(context.Context, string, store.Ask) (store.Grant, error) {
	return store.Grant{}, f.Err
}

func (f Engineless) Done(context.Context, string, string, bool) error { return f.Err }

func (f Engineless) Renew(context.Context, time.Duration, map[string]string) ([]string, error) {
	return nil, f.Err
}

func (f Engineless) Break(context.Context, string, time.Duration) error { return f.Err }

func (f Engineless) Watch(context.Context, func(store.Change)) error { return f.Err }

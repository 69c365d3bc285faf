package conduct

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
)

// errCutOff is what a process hears while it cannot reach the store of its fleet.
var errCutOff = errors.New("the store is away")

// A fleetStore is what the processes of a fleet share. It can lose all that it keeps.
type fleetStore struct {
	mu   sync.Mutex
	data *memstore.Store

	reports map[*link]func() store.Status // what processes tell of themselves
}

func newFleetStore() *fleetStore { return &fleetStore{data: new(memstore.Store)} }

func (s *fleetStore) now() *memstore.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data
}

func (s *fleetStore) lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = new(memstore.Store)
}

// report keeps what a process tells of itself, until status is nil.
func (s *fleetStore) report(l *link, status func() store.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reports == nil {
		s.reports = make(map[*link]func() store.Status)
	}
	if s.reports[l] = status; status == nil {
		delete(s.reports, l)
	}
}

// others returns the profiles of other processes.
func (s *fleetStore) others(l *link, own string) (profiles []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, status := range s.reports {
		if profile := status().Profile; other != l && profile != own {
			profiles = append(profiles, profile)
		}
	}
	return profiles
}

// A link is how a process reaches the store of its fleet. Its calls may take a while, stand
// still, fail once, or find nobody.
type link struct {
	store *fleetStore
	way   func() time.Duration // of a call, there and back; nil: none

	mu      sync.Mutex
	stalled time.Time     // until when nothing gets through
	cut     chan struct{} // closed when the connection is lost; nil while there is none
	back    time.Time     // when it came back; zero if it was never lost
	muted   bool          // what Watch would tell is lost
	fails   map[string]int
	slow    map[string]time.Duration // how long the next call of a name takes
}

func newLink(store *fleetStore) *link {
	return &link{store: store, cut: make(chan struct{}), fails: make(map[string]int), slow: make(map[string]time.Duration)}
}

// Stall lets nothing through for d.
func (l *link) Stall(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stalled = time.Now().Add(d)
}

// Mute lets nothing of what Watch tells through.
func (l *link) Mute(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.muted = on
}

func (l *link) isMuted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.muted
}

// SlowOnce makes the next call of that name take d.
func (l *link) SlowOnce(name string, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slow[name] = d
}

// FailNext makes the next n calls of that name fail.
func (l *link) FailNext(name string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fails[name] = n
}

// Leave ends the connection to the store, with all that is under way.
func (l *link) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut != nil {
		close(l.cut)
		l.cut = nil
	}
}

// ComeBack connects to the store again.
func (l *link) ComeBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut == nil {
		l.cut, l.back = make(chan struct{}), time.Now()
	}
}

// connection returns a context that ends with the connection to the store.
func (l *link) connection(ctx context.Context) (context.Context, context.CancelFunc, error) {
	l.mu.Lock()
	cut := l.cut
	l.mu.Unlock()
	if cut == nil {
		return nil, nil, errCutOff
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := make(chan struct{})
	go func() {
		select {
		case <-cut:
			cancel(errCutOff)
		case <-stop:
		}
	}()
	return ctx, func() { close(stop); cancel(nil) }, nil
}

// half is how long half of a call takes.
func (l *link) half() time.Duration {
	if l.way == nil {
		return 0
	}
	l.store.mu.Lock() // all links may have one way
	defer l.store.mu.Unlock()
	return l.way() / 2
}

// pass waits for as long as half of a call takes, and while nothing gets through.
func (l *link) pass(ctx context.Context) error {
	half := l.half()
	for origintest.Wait(ctx, half) {
		l.mu.Lock()
		half = time.Until(l.stalled)
		l.mu.Unlock()
		if half <= 0 {
			return nil
		}
	}
	return context.Cause(ctx)
}

// call takes a call to the store, and its answer back.
func (l *link) call(ctx context.Context, name string, effect func(context.Context, *memstore.Store) error) error {
	ctx, end, err := l.connection(ctx)
	if err != nil {
		return err
	}
	defer end()
	l.mu.Lock()
	slow := l.slow[name]
	delete(l.slow, name)
	fails := l.fails[name] > 0
	l.fails[name]--
	l.mu.Unlock()
	if err := l.pass(ctx); err != nil {
		return err
	}
	if fails {
		return errCutOff
	}
	failure := effect(ctx, l.store.now())
	if !origintest.Wait(ctx, slow) {
		return context.Cause(ctx)
	}
	if err := l.pass(ctx); err != nil {
		return err
	}
	return failure
}

// pause returns for how long a process reserves nothing after a loss: others may have started,
// of which the store knows nothing. Slots are not lost here.
func (l *link) pause(ask store.Ask) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	length := max(ask.Gap, ask.Longest)
	if l.back.IsZero() {
		return 0
	}
	return length - time.Since(l.back)
}

func (l *link) Take(ctx context.Context, lane string, ask store.Ask) (grant store.Grant, err error) {
	sent := time.Now()
	if wait := l.pause(ask); wait > 0 {
		return store.Grant{Wait: wait, Busy: true}, nil
	}
	err = l.call(ctx, "take", func(ctx context.Context, data *memstore.Store) (err error) {
		grant, err = data.Take(ctx, lane, ask)
		if grant.Wait > 0 {
			grant.Wait += time.Since(sent) // it counts from the call
		}
		return err
	})
	return grant, err
}

func (l *link) Done(ctx context.Context, lane, token string, unused bool) error {
	return l.call(ctx, "done", func(ctx context.Context, data *memstore.Store) error { return data.Done(ctx, lane, token, unused) })
}

func (l *link) Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error) {
	err = l.call(ctx, "renew", func(ctx context.Context, data *memstore.Store) (err error) {
		lost, err = data.Renew(ctx, lease, turns)
		return err
	})
	return lost, err
}

func (l *link) Break(ctx context.Context, lane string, wait time.Duration) error {
	return l.call(ctx, "break", func(ctx context.Context, data *memstore.Store) error { return data.Break(ctx, lane, wait) })
}

func (l *link) Teach(ctx context.Context, lane string, wait time.Duration, lesson string, keep time.Duration) error {
	return l.call(ctx, "break", func(ctx context.Context, data *memstore.Store) error {
		return data.Teach(ctx, lane, wait, lesson, keep)
	})
}

func (l *link) Claim(ctx context.Context, key, seen string, lease time.Duration) (claim store.Claim, err error) {
	err = l.call(ctx, "claim", func(ctx context.Context, data *memstore.Store) (err error) {
		claim, err = data.Claim(ctx, key, seen, lease)
		return err
	})
	return claim, err
}

func (l *link) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	return l.call(ctx, "put", func(ctx context.Context, data *memstore.Store) error { return data.Put(ctx, key, token, entry, keep) })
}

// Watch tells for as long as the connection lasts. It tells late if nothing gets through.
func (l *link) Watch(ctx context.Context, tell func(store.Change)) error {
	return l.listen(ctx, tell, func(ctx context.Context, data *memstore.Store, tell func(store.Change)) error {
		return data.Watch(ctx, tell)
	})
}

// Report does what Watch does, and tells how the process is.
func (l *link) Report(ctx context.Context, status func() store.Status, tell func(store.Change)) error {
	return l.listen(ctx, tell, func(ctx context.Context, data *memstore.Store, tell func(store.Change)) error {
		l.store.report(l, status)
		defer l.store.report(l, nil)
		return data.Watch(ctx, func(c store.Change) {
			for _, profile := range l.store.others(l, status().Profile) {
				tell(store.Change{Profile: profile})
			}
			tell(c)
		})
	})
}

func (l *link) listen(ctx context.Context, tell func(store.Change), watch func(context.Context, *memstore.Store, func(store.Change)) error) error {
	ctx, end, err := l.connection(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err := l.pass(ctx); err != nil {
		return err
	}
	err = watch(ctx, l.store.now(), func(c store.Change) {
		if l.pass(ctx) == nil && !l.isMuted() {
			tell(c)
		}
	})
	return errors.Join(context.Cause(ctx), err)
}

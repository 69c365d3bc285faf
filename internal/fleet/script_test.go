package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/store"
)

// A script is Turns that says what a test wants, and notes when it was called.
type script struct {
	began time.Time

	mu    sync.Mutex
	grant store.Grant   // the answer to Take
	takes time.Duration // each call
	err   error         // of each call; a panic if it is errPanics
	lost  []string      // the answer to Renew
	watch watchFunc     // nil: it tells nothing
	calls []string
}

type watchFunc func(ctx context.Context, f func(store.Change)) error

// errPanics makes each call of a script panic.
var errPanics = fmt.Errorf("panics")

func newScript() *script { return &script{began: time.Now()} }

// fails lets calls fail with err from now on.
func (s *script) fails(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// grants lets Take answer so from now on.
func (s *script) grants(g store.Grant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grant = g
}

// lasts lets calls take d from now on.
func (s *script) lasts(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takes = d
}

// watches lets Watch do what f does from now on.
func (s *script) watches(f watchFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = f
}

func (s *script) call(name string, args ...string) error {
	s.mu.Lock()
	s.calls = append(s.calls, strings.TrimSpace(fmt.Sprintf("%v %s %s", time.Since(s.began), name, strings.Join(args, " "))))
	takes := s.takes
	s.mu.Unlock()
	time.Sleep(takes)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == errPanics {
		panic("of a script")
	}
	return s.err
}

// called returns the calls since the last time.
func (s *script) called() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}

func (s *script) Take(_ context.Context, lane string, _ store.Ask) (store.Grant, error) {
	err := s.call("take", lane)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grant, err
}

func (s *script) Done(_ context.Context, lane, token string, unused bool) error {
	return s.call("done", lane, token, fmt.Sprint(unused))
}

func (s *script) Renew(_ context.Context, _ time.Duration, turns map[string]string) ([]string, error) {
	return s.lost, s.call("renew", slices.Sorted(maps.Keys(turns))...)
}

func (s *script) Break(_ context.Context, lane string, wait time.Duration) error {
	return s.call("break", lane, wait.String())
}

func (s *script) Watch(ctx context.Context, f func(store.Change)) error {
	s.mu.Lock()
	watch := s.watch
	s.mu.Unlock()
	if watch == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	return watch(ctx, f)
}

// quiet is told of each call, and does nothing.
func quiet(context.Context, string, time.Time, error) {}

// callTakes is how long a call takes of which a reservation of a test knows, and callSlack the slack for it.
const (
	callTakes = 4 * time.Millisecond
	callSlack = 8 * time.Millisecond // half as much again, and a little more
)

// newReservation returns a reservation of a process that hears all.
func newReservation(s *script, request lane.StartRequest) *reservation {
	s.lasts(callTakes)
	h := new(health)
	return &reservation{
		turns: s, slack: &slack{usual: callTakes}, leases: &leases{turns: s, health: h}, spares: new(spares),
		watch: &watch{health: h}, called: quiet, lane: "a lane", request: request,
	}
}

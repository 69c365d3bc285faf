package robots

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// talking is Turns by which processes tell each other how they are.
type talking struct {
	*memstore.Turns
	mu  sync.Mutex
	all map[*int]store.Status
}

func newTalking() *talking {
	return &talking{Turns: new(memstore.Turns), all: make(map[*int]store.Status)}
}

func (s *talking) Report(ctx context.Context, status func() store.Status, f func(store.Change)) error {
	me := new(int)
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.all, me)
	}()
	for ctx.Err() == nil {
		for _, profile := range s.told(me, status()) {
			f(store.Change{Profile: profile})
		}
		f(store.Change{})
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return ctx.Err()
}

// told keeps a status, and returns the profiles of others that differ.
func (s *talking) told(me *int, status store.Status) (others []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[me] = status
	for _, other := range s.all {
		if other.Profile != status.Profile {
			others = append(others, other.Profile)
		}
	}
	return others
}

// health returns the texts of all processes.
func (s *talking) health() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, status := range s.all {
		all = append(all, status.Health)
	}
	return all
}

// visiting visits a site again and again until the test ends.
func visiting(t *testing.T, transport *polite.Transport) (end func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			conduct.Get(conduct.Client(transport), "http://example.com/")
			time.Sleep(time.Second)
		}
	}()
	end = func() { cancel(); <-done; transport.CloseIdleConnections() }
	t.Cleanup(end)
	return end
}

// What differs between two processes is told once in each, and is over when one of them ends.
func TestDifferences(t *testing.T) {
	for name, test := range map[string]struct {
		pace polite.Pace        // of one
		want []store.Difference // as it sees the other
	}{
		"alike": {},
		"two": {polite.Pace{Concurrency: 2, MinDelay: time.Second},
			[]store.Difference{{Setting: "Concurrency", Here: "2", There: "0"}, {Setting: "MinDelay", Here: "1s", There: "0s"}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web, turns := origintest.NewInMemory(t), newTalking()
				var told []store.Difference
				var log conduct.Log
				one, other := conduct.Sharing(t, web, turns), conduct.Sharing(t, web, turns)
				one.Pace = test.pace
				one.Trace.Health = func(e store.HealthEvent) {
					if e.Kind == store.HealthDiffers {
						told = append(told, e.Difference)
					}
				}
				one.Logger = log.Logger(slog.LevelWarn)
				visiting(t, one)
				end := visiting(t, other)
				time.Sleep(20 * time.Second)
				assert.Equal(t, test.want, one.Cache.Health().Differences)
				end()
				time.Sleep(10 * time.Second)
				assert.Empty(t, one.Cache.Health().Differences, "the other has ended")
				assert.Equal(t, test.want, told, "each once")
				assert.Equal(t, len(test.want), strings.Count(log.String(), "configured differently"), log.String())
			})
		})
	}
}

// flawed is Turns whose Watch and Renew can fail.
type flawed struct {
	*talking
	mu           sync.Mutex
	watch, renew error
	failed       chan struct{} // closed when watch is set
}

func (f *flawed) Report(ctx context.Context, status func() store.Status, tell func(store.Change)) error {
	f.mu.Lock()
	why, failed := f.watch, f.failed
	f.mu.Unlock()
	if why != nil {
		return why
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-failed:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := f.talking.Report(ctx, status, tell)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watch != nil {
		return f.watch
	}
	return err
}

func (f *flawed) Renew(ctx context.Context, lease time.Duration, turns map[string]string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.renew != nil {
		return nil, f.renew
	}
	return f.talking.Renew(ctx, lease, turns)
}

func (f *flawed) set(watch, renew error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if watch != nil {
		close(f.failed)
	} else {
		f.failed = make(chan struct{})
	}
	f.watch, f.renew = watch, renew
}

// A process tells when it is deaf, since when and why, and when it hears again.
func TestHealthOfHearing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, turns := origintest.NewInMemory(t), &flawed{talking: newTalking(), failed: make(chan struct{})}
		transport, d := conduct.Sharing(t, web, turns), new(conduct.Diary)
		assert.Equal(t, store.Health{}, new(polite.Cache).Health())
		var log conduct.Log
		transport.Logger = log.Logger(slog.LevelWarn)
		transport.Trace = polite.Trace{
			Health: func(e store.HealthEvent) { d.Write("%s %v", e.Kind, e.Err) },
			Called: func(c store.Call) {
				if c.Name == "watch" {
					d.Write("%s %v", c.Name, c.Err)
				}
			},
		}
		h := transport.Cache.Health()
		assert.True(t, h.Shared)
		assert.False(t, h.Deaf, "it does not listen yet")
		began := time.Now()
		visiting(t, transport)
		time.Sleep(5*time.Second + time.Second/2)
		h = transport.Cache.Health()
		assert.False(t, h.Deaf)
		assert.Equal(t, began, h.Since)
		assert.NotZero(t, h.Slack)
		require.Len(t, turns.health(), 1)
		assert.Regexp(t, `^hears slack=\S+ lead=\S+ lost_starts=0 lost_slots=0 dropped=0 retold=0 overdue=0$`, turns.health()[0])

		fault := errors.New("the cable is cut")
		turns.set(fault, nil)
		since := time.Now()
		time.Sleep(5 * time.Second)
		h = transport.Cache.Health()
		assert.True(t, h.Deaf)
		assert.Equal(t, since, h.Since)
		assert.Equal(t, fault, h.Err)
		assert.EqualValues(t, 1, h.Dropped)
		assert.Equal(t, fault, h.DropErr)

		turns.set(nil, nil)
		time.Sleep(5 * time.Second)
		h = transport.Cache.Health()
		assert.False(t, h.Deaf)
		assert.NoError(t, h.Err)
		assert.Equal(t, fault, h.DropErr)
		assert.Contains(t, turns.health()[0], `dropped=1 retold=0 overdue=0 why="the cable is cut"`)
		lines := slices.Compact(d.Take())
		assert.Equal(t, []string{"hears <nil>", "deaf the cable is cut", "dropped the cable is cut", "watch the cable is cut", "hears <nil>"}, lines)
		assert.Equal(t, 1, strings.Count(log.String(), "this process does not hear of breaks"))
	})
}

// A slot that cannot be renewed is lost, counted once and told, with the error of Renew.
func TestHealthOfSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, turns := origintest.NewInMemory(t), &flawed{talking: newTalking(), failed: make(chan struct{})}
		transport, d := conduct.Sharing(t, web, turns), new(conduct.Diary)
		web.Page("example.com", "/", func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		transport.Pace.Concurrency = 1
		transport.Trace = polite.Trace{
			Health: func(e store.HealthEvent) {
				if e.Kind == store.HealthLostSlot {
					d.Write("%s", e.Kind)
				}
			},
			Called: func(c store.Call) {
				if c.Name == "renew" {
					d.Write("%s %v", c.Name, c.Err)
				}
			},
		}
		turns.set(nil, errors.New("is full"))
		began := time.Now()
		resp, err := conduct.Client(transport).Get("http://example.com/")
		require.NoError(t, err)
		_, err = io.ReadAll(resp.Body)
		require.Error(t, err)
		assert.Less(t, time.Since(began), 10*time.Second, "before others may have the slot")
		resp.Body.Close()
		time.Sleep(20 * time.Second)
		assert.EqualValues(t, 1, transport.Cache.Health().LostSlots)
		assert.Equal(t, []string{"renew is full", "lost-slot"}, slices.Compact(d.Take()))
	})
}

// A start is lost if connecting takes longer than it ever did.
func TestHealthOfStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, turns := origintest.NewInMemory(t), newTalking()
		transport, kinds := conduct.Sharing(t, web, turns), 0
		transport.Pace.MinDelay = time.Second
		transport.Trace.Health = func(e store.HealthEvent) {
			if e.Kind == store.HealthLostStart {
				kinds++
			}
		}
		base := transport.Base.(*http.Transport)
		base.DisableKeepAlives = true
		dials := &conduct.Connects{Takes: conduct.Always(10 * time.Millisecond)}
		dials.Slowing(base)
		for range 20 {
			conduct.Get(conduct.Client(transport), "http://example.com/")
		}
		before := transport.Cache.Health().LostStarts
		dials.Change(conduct.Always(2 * time.Second))
		conduct.Get(conduct.Client(transport), "http://example.com/")
		assert.Greater(t, transport.Cache.Health().LostStarts, before)
		assert.EqualValues(t, kinds, transport.Cache.Health().LostStarts)
	})
}

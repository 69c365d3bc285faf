package redisfleet

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// A fitness is whether the server still fits, as far as is known: whoever operates it may
// change it while processes run.
type fitness struct {
	mu     sync.Mutex
	layout error     // another layout is there
	evicts error     // the server deletes keys when its memory is full
	next   time.Time // when to look again
}

// lookEvery is how often to look whether the server still fits, and lookAgain whether one that
// does not fit does so again.
const (
	lookEvery = 4 * time.Second
	lookAgain = time.Second
)

// why returns why the server does not fit, or nil.
func (f *fitness) why() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return cmp.Or(f.layout, f.evicts)
}

// note notes in one of the fields why the server does not fit, or nil. It reports whether the server fits again.
func (f *fitness) note(field *error, why error) (again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := cmp.Or(f.layout, f.evicts)
	*field = why
	return before != nil && cmp.Or(f.layout, f.evicts) == nil
}

// isDue reports whether it is time to look. If so, the next time is some time away.
func (f *fitness) isDue() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if now.Before(f.next) {
		return false
	}
	f.next = now.Add(lookEvery)
	if f.layout != nil || f.evicts != nil {
		f.next = now.Add(lookAgain)
	}
	return true
}

// fit returns why turns must not go on, or nil. If the server does not fit, it looks once a
// second whether it does again.
func (f *Fleet) fit(ctx context.Context) error {
	if f.client == nil {
		return errZero
	}
	if f.fitness.why() == nil {
		return nil
	}
	if f.fitness.isDue() {
		f.beat(ctx, f.keys.beats("none"), "0") // it notes the layout
		f.look(ctx)
	}
	return f.fitness.why()
}

// look looks whether the server deletes keys by now. If a node does not answer, it says
// nothing: a turn there fails, too. What was deleted meanwhile counts as lost.
func (f *Fleet) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	for address, node := range f.client.Nodes() {
		info, err := facts(ctx, node, "memory")
		if err != nil {
			return
		}
		if err := keeps(info); err != nil {
			f.fitness.note(&f.fitness.evicts, fmt.Errorf("redisfleet: the server at %s %w", address, err))
			return
		}
	}
	if f.fitness.note(&f.fitness.evicts, nil) {
		f.changed(0)
	}
}

package redisfleet

import (
	"cmp"
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

// laid notes whether another layout is there. It reports whether the server fits again.
func (f *fitness) laid(other error) (again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	again = f.layout != nil && other == nil && f.evicts == nil
	f.layout = other
	return again
}

// keeps notes whether the server deletes keys. It reports whether the server fits again.
func (f *fitness) keeps(evicts error) (again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	again = f.evicts != nil && evicts == nil && f.layout == nil
	f.evicts = evicts
	return again
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

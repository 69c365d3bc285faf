package boltstore

import "sync"

// names are a set of lanes, or of keys.
type names map[string]struct{}

// A watcher collects what it has not told yet.
type watcher struct {
	mu      sync.Mutex
	lanes   names         // whose breaks have begun
	records names         // that were replaced
	some    chan struct{} // there is something
}

func newWatcher() *watcher {
	return &watcher{lanes: make(names), records: make(names), some: make(chan struct{}, 1)}
}

func (w *watcher) addLane(lane string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lanes[lane] = struct{}{}
	w.wake()
}

func (w *watcher) addRecord(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.records[key] = struct{}{}
	w.wake()
}

func (w *watcher) wake() {
	select {
	case w.some <- struct{}{}:
	default:
	}
}

// take returns what there is to tell, and begins anew.
func (w *watcher) take() (lanes, records names) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lanes, records = w.lanes, w.records
	w.lanes, w.records = make(names), make(names)
	return lanes, records
}

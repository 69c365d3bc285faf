package memory

// names are a set of lanes, or of keys.
type names map[string]struct{}

// A watcher collects what one Watch has not told yet.
type watcher struct {
	lanes  names             // whose breaks have begun
	keys   names             // whose entries were replaced
	calls  map[string]string // the lanes of tokens for which slots are kept
	missed bool              // there were more keys or tokens
	some   chan struct{}     // gets a value when there is something
}

func newWatcher() *watcher {
	return &watcher{lanes: make(names), keys: make(names), calls: make(map[string]string), some: make(chan struct{}, 1)}
}

// wake lets the Watch tell.
func (w *watcher) wake() {
	select {
	case w.some <- struct{}{}:
	default:
	}
}

// empty returns what there is to tell, and begins anew.
func (w *watcher) empty() (lanes, keys names, calls map[string]string) {
	lanes, keys, calls = w.lanes, w.keys, w.calls
	w.lanes, w.keys, w.calls = make(names), make(names), make(map[string]string)
	return lanes, keys, calls
}

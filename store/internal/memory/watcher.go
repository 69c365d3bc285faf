package memory

// names are a set of lanes, or of keys.
type names map[string]struct{}

// A watcher collects what one Watch has not told yet.
type watcher struct {
	lanes  names         // whose breaks have begun
	keys   names         // whose entries were replaced
	missed bool          // there were more keys
	some   chan struct{} // gets a value when there is something
}

func newWatcher() *watcher {
	return &watcher{lanes: make(names), keys: make(names), some: make(chan struct{}, 1)}
}

// wake lets the Watch tell.
func (w *watcher) wake() {
	select {
	case w.some <- struct{}{}:
	default:
	}
}

// empty returns what there is to tell, and begins anew.
func (w *watcher) empty() (lanes, keys names) {
	lanes, keys = w.lanes, w.keys
	w.lanes, w.keys = make(names), make(names)
	return lanes, keys
}

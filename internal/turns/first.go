package turns

import "sync"

// A first is the right to go first after a break, of all that share a lane. It is the only slot
// of a lane of its own, and ends when the answer is known. A nil first is none.
type first struct {
	lane   string
	token  string
	leases *leases
	called Called
	once   sync.Once
}

// end lets another go first.
func (f *first) end() {
	if f == nil {
		return
	}
	f.once.Do(func() { f.leases.give(f.lane, f.token, false, f.called) })
}

package match

import (
	"sync"
	"sync/atomic"
)

// A lazy value is made when it is first asked for. It is safe for concurrent use.
type lazy[T any] struct {
	mu   sync.Mutex
	made atomic.Pointer[T]
}

// get returns the value. It calls make if there is none yet.
func (l *lazy[T]) get(make func() *T) *T {
	if x := l.made.Load(); x != nil {
		return x
	}
	return l.once(make)
}

func (l *lazy[T]) once(make func() *T) *T {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.made.Load() == nil {
		l.made.Store(make())
	}
	return l.made.Load()
}

package agent

import (
	"slices"
	"sync"
	"time"
)

// The bounds of a shelf.
const (
	mostKept = 16 << 20 // octets
	keepTime = time.Hour
)

// A shelf keeps what was fetched a moment ago, so that the next piece of it needs no request.
// The zero shelf is empty. It is safe for concurrent use.
type shelf[T any] struct {
	mu   sync.Mutex
	kept []kept[T] // the one used last is the last
}

type kept[T any] struct {
	key   string
	value T
	size  int
	at    time.Time
}

func (k kept[T]) old() bool { return time.Since(k.at) > keepTime }

// put keeps a value of a size in octets, and forgets the others that were not used for
// longest, until all fit. It keeps nothing that does not fit alone.
func (s *shelf[T]) put(key string, value T, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(key)
	s.kept = slices.DeleteFunc(s.kept, kept[T].old)
	s.kept = append(s.kept, kept[T]{key, value, size, time.Now()})
	sum := 0
	for i := len(s.kept) - 1; i >= 0; i-- {
		if sum += s.kept[i].size; sum > mostKept {
			s.kept = slices.Delete(s.kept, 0, i+1)
			return
		}
	}
}

// get returns what is kept for a key.
func (s *shelf[T]) get(key string) (value T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.remove(key)
	if !ok || k.old() {
		return value, false
	}
	s.kept = append(s.kept, k)
	return k.value, true
}

func (s *shelf[T]) remove(key string) (kept[T], bool) {
	i := slices.IndexFunc(s.kept, func(k kept[T]) bool { return k.key == key })
	if i < 0 {
		return kept[T]{}, false
	}
	k := s.kept[i]
	s.kept = slices.Delete(s.kept, i, i+1)
	return k, true
}

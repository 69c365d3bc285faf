package turns

import (
	"sync"
	"time"
)

// A slack says how much later than reserved a start may be. It covers a usual call of
// Turns, and the way from the gate to the write.
type slack struct {
	mu    sync.Mutex
	usual time.Duration // what calls take
	rose  time.Time     // when usual rose last
	late  time.Duration // how late starts were of late
}

const (
	leastSlack = 5 * time.Millisecond
	mostSlack  = 10 * time.Second
	mostLate   = 50 * time.Millisecond
)

func (s *slack) now() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(max(leastSlack, s.usual*3/2+2*time.Millisecond)+s.late, mostSlack)
}

// call returns how long a call usually takes.
func (s *slack) call() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usual
}

// learn notes how long a call took that began at a time. A call that is slower than usual
// at most doubles what is usual. A second one does so only if it began after the first had
// told, so that what stops many calls at the same time counts once.
func (s *slack) learn(began time.Time, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.usual == 0:
		s.usual, s.rose = took, time.Now()
	case took <= s.usual:
		s.usual -= (s.usual - took) / 4
	case began.After(s.rose):
		s.usual = min(took, max(2*s.usual, leastSlack))
		s.rose = time.Now()
	}
	s.late -= s.late / 8
}

// missed notes that a start was too late, although its connection was ready.
func (s *slack) missed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = min(s.late+leastSlack, mostLate)
}

package turns

import (
	"sync"
	"time"
)

// A slack says how much later than reserved a start may be. It must be longer than a call
// of Turns takes. It grows when calls take long, and when a start was too late.
type slack struct {
	mu    sync.Mutex
	often time.Duration // what calls take, at most, of late
	least time.Duration
}

const (
	leastSlack = 5 * time.Millisecond
	mostSlack  = 10 * time.Second
)

func (s *slack) now() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(max(leastSlack, 2*s.often, s.least), mostSlack)
}

// covers reports whether a start with the slack late can be taken again in time, although
// a call takes a while. With the zero late it cannot.
func (s *slack) covers(late time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return late > 0 && late*3/4 >= s.often
}

// learn notes how long a call took.
func (s *slack) learn(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.often = max(took, s.often-s.often/16)
	s.least -= s.least / 64
}

// late notes that a start was too late.
func (s *slack) late() {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.least = min(2*now, mostSlack)
}

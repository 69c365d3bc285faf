package redisfleet

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// deaf is how long after a beat was sent it must be heard.
const deaf = 2 * time.Second

// An ear keeps what is heard until it is told.
type ear struct {
	news chan struct{} // gets a value when there is something

	mu     sync.Mutex
	breaks map[string]time.Time // when they end, by lane
	count  int64                // of the newest break that was heard
	missed bool                 // one was not
	heard  bool                 // a beat was
	sent   int64                // the newest beat
	late   map[int64]time.Time  // when beats were sent that are not heard yet
}

// hear hears of a break: its count, its length in microseconds and its lane.
func (e *ear) hear(message string) {
	number, rest, _ := strings.Cut(message, " ")
	length, lane, ok := strings.Cut(rest, " ")
	count, err := strconv.ParseInt(number, 10, 64)
	left, err2 := strconv.ParseInt(length, 10, 64)
	if !ok || err != nil || err2 != nil || left < 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.breaks == nil {
		e.breaks = make(map[string]time.Time)
	}
	if until := time.Now().Add(duration(left)); until.After(e.breaks[lane]) {
		e.breaks[lane] = until
	}
	e.missed = e.missed || count > e.count+1
	e.count = max(e.count, count)
	e.wake()
}

// beat hears a beat: how many breaks there were, and its number.
func (e *ear) beat(message string) {
	number, beat, _ := strings.Cut(message, " ")
	count, err := strconv.ParseInt(number, 10, 64)
	n, err2 := strconv.ParseInt(beat, 10, 64)
	if err != nil || err2 != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	sent, ok := e.late[n]
	if !ok || time.Since(sent) > deaf {
		return
	}
	delete(e.late, n)
	e.heard = true
	e.missed = e.missed || count != e.count
	e.wake()
}

func (e *ear) wake() {
	select {
	case e.news <- struct{}{}:
	default:
	}
}

// next returns the next beat to send.
func (e *ear) next() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.late == nil {
		e.late = make(map[int64]time.Time)
	}
	e.sent++
	e.late[e.sent] = time.Now()
	return strconv.FormatInt(e.sent, 10)
}

// isDeaf reports whether a beat was not heard in time.
func (e *ear) isDeaf() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, sent := range e.late {
		if time.Since(sent) > deaf {
			return true
		}
	}
	return false
}

func (e *ear) empty() (breaks map[string]time.Time, missed, heard bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	breaks, missed, heard = e.breaks, e.missed, e.heard
	e.breaks, e.missed, e.heard = nil, false, false
	return breaks, missed, heard
}

// upTo notes that all breaks up to a count are known.
func (e *ear) upTo(count int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count = count
}

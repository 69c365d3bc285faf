package fleet

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// limiter allows so many pages a second, and a burst of them at once. It answers 429 to others without
// a word of when to come back.
type limiter struct {
	every time.Duration
	burst time.Duration // in pages

	mu   sync.Mutex
	next time.Time // of the next page if there were no burst
}

func (l *limiter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.allows(time.Now()) {
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

// allows reports whether the page of this moment is served. It needs the lock.
func (l *limiter) allows(now time.Time) bool {
	if l.next.Sub(now) > l.burst*l.every {
		return false
	}
	if l.next.Before(now) {
		l.next = now
	}
	l.next = l.next.Add(l.every)
	return true
}

// A noted notes the status of an answer.
type noted struct {
	http.ResponseWriter
	status int
}

func (w *noted) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// A ban shuts out for a while who sends more than most within a time.
type ban struct {
	status, most  int
	within, lasts time.Duration

	mu     sync.Mutex
	until  time.Time
	recent []time.Time
	bans   int
}

func (b *ban) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if now.Before(b.until) {
		w.WriteHeader(b.status)
		return
	}
	b.recent = slices.DeleteFunc(append(b.recent, now), func(at time.Time) bool { return now.Sub(at) > b.within })
	if len(b.recent) > b.most {
		b.until, b.recent, b.bans = now.Add(b.lasts), nil, b.bans+1
		w.WriteHeader(b.status)
	}
}

// A quota lets so many through in each period, and tells what is left.
type quota struct {
	most   int
	period time.Duration

	mu    sync.Mutex
	used  int
	since time.Time
}

func (q *quota) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if now.Sub(q.since) >= q.period {
		q.since, q.used = now, 0
	}
	left := int(q.since.Add(q.period).Sub(now).Seconds()) + 1
	q.used++
	w.Header().Set("RateLimit-Limit", strconv.Itoa(q.most))
	w.Header().Set("RateLimit-Remaining", strconv.Itoa(max(q.most-q.used, 0)))
	w.Header().Set("RateLimit-Reset", strconv.Itoa(left))
	if q.used > q.most {
		w.Header().Set("Retry-After", strconv.Itoa(left))
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

// A fall is a limit of 20 pages a second that is lower for a while.
type fall struct {
	from, lasts time.Duration
	bears       int // pages a second meanwhile
}

const usualRate = 20 // pages a second

// site returns what bears so much from the first request on.
func (f fall) site() http.Handler {
	site, began := &limiter{}, time.Time{}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		site.mu.Lock()
		defer site.mu.Unlock()
		now := time.Now()
		if began.IsZero() {
			began = now
		}
		bears := usualRate
		if past := now.Sub(began) - f.from; past >= 0 && past < f.lasts {
			bears = f.bears
		}
		site.every = time.Second / time.Duration(max(bears, 1))
		if bears == 0 || !site.allows(now) {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
}

// A windowLimiter lets so many pages through in each period.
type windowLimiter struct {
	most   int
	period time.Duration

	mu    sync.Mutex
	since time.Time
	used  int
}

func (l *windowLimiter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if period := time.Now().Truncate(l.period); !period.Equal(l.since) {
		l.since, l.used = period, 0
	}
	if l.used++; l.used > l.most {
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

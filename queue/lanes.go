package queue

import (
	"container/heap"
	"net/http"
	"slices"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/tries"
)

// A task is an item, and how far it is.
type task[T any] struct {
	URL    string
	Value  T
	number uint64 // tasks go in this order
	way    *way   // nil: it was not tried
}

// A way is how far a task has come that was tried.
type way struct {
	tries.Request
	url   string          // of the hop where it goes on; "": at its URL
	via   []*http.Request // those before the hop, as http.Client tells CheckRedirect of them
	again int             // how often PushAgain has pushed it
	like  *request        // the request of the hop; nil: a GET
}

// item returns the item of t, as a user gets it.
func (t *task[T]) item() Item[T] {
	item := Item[T]{URL: t.URL, Value: t.Value}
	if t.way != nil {
		item.Tries = t.way.again
	}
	return item
}

// url returns what to ask for.
func (t *task[T]) url() string {
	if t.way != nil && t.way.url != "" {
		return t.way.url
	}
	return t.URL
}

// A lane has tasks that take turns. It is in one of four states: it is ready, it is parked until
// some time, a worker tries its first task, or all its tasks are under way.
type lane[T any] struct {
	key   string
	tasks pile[task[T]]
	wait
	since    time.Time     // when it was refused first while it had no request under way; zero: it was not
	patience time.Duration // how long its next request waits for its turn; 0: leastWait
	place    int32         // among those that are parked, from 1; 0 if it is not
	under    int32         // tasks that workers have
	tries    uint8         // refusals since it last sent a request
	answers  uint8         // how often a request of it was answered, or a body closed; it may overflow
	ready    bool
	tried    bool // a worker tries its first task, and the others wait for what comes of this
}

// A wait says why a lane is parked. It is zero if the lane is not.
type wait struct {
	until  time.Time // when the lane is to be tried again
	awaits bool      // until is a guess: the lane is tried when a request of it is answered
	cause  polite.Cause
	why    string // more of the cause
}

// next returns when the lane goes on: zero if this depends on an answer.
func (w *wait) next() time.Time {
	if w.awaits {
		return time.Time{}
	}
	return w.until
}

// pop takes the first task.
func (l *lane[T]) pop() task[T] {
	first := heap.Pop(&l.tasks).(task[T])
	if first.way == nil {
		first.way = new(way)
	}
	if len(l.tasks) == 0 {
		l.tasks = nil // do not keep the array
	}
	l.under++
	l.tried = true
	return first
}

const (
	// leastWait covers the time between the timer and the site.
	leastWait = time.Millisecond

	// ahead is how much earlier a lane comes for a start that it has missed once more.
	ahead = 20 * time.Millisecond

	// longestWait is how long a request waits for its turn at most, in a fleet that is slow to
	// reserve one.
	longestWait = time.Second

	// rulesWait is how long a request waits for a robots.txt. polite calls a fetch slow then.
	rulesWait = 3 * time.Second
)

// missed notes that a request of l was refused until turn, and returns when to try again. If its turn was to be
// reserved, another process of the fleet was there before it. It comes earlier each time, so that the process
// that has waited for longest is the first to reserve the next start.
func (l *lane[T]) missed(turn time.Time, reserves bool, now time.Time) time.Time {
	if l.patience = 0; reserves {
		l.patience = longestWait
	}
	if l.tries == 0 {
	} else if reserves && turn.Sub(now) > longestWait {
		turn = turn.Add(-min(time.Duration(l.tries)*ahead, longestWait/2))
	} else if soon := now.Add(leastWait << min(l.tries, 10)); turn.Before(soon) {
		turn = soon
	}
	l.tries = min(l.tries, 100) + 1
	return turn
}

// The methods below are called with q.mu locked.

// lane returns the lane of key.
func (q *Queue[T]) lane(key string) *lane[T] {
	l := q.lanes[key]
	if l == nil {
		if q.lanes == nil {
			q.lanes = make(map[string]*lane[T])
		}
		l = &lane[T]{key: key}
		q.lanes[key] = l
	}
	return l
}

// offer makes l ready if it has a task and nothing keeps it. A lane without tasks is forgotten.
func (q *Queue[T]) offer(l *lane[T]) {
	switch {
	case len(l.tasks) == 0 && l.under == 0:
		delete(q.lanes, l.key)
	case len(l.tasks) == 0 || l.ready || l.tried || l.place > 0:
	default:
		l.ready = true
		q.ready = append(q.ready, l)
		q.wake.Signal()
	}
}

// take takes the lane that has been ready for the longest time, or returns nil. Those that were
// parked and the others take turns: a site with long gaps should not miss its turn because of many
// without, nor these starve.
func (q *Queue[T]) take() *lane[T] {
	lines := []*[]*lane[T]{&q.came, &q.ready}
	if q.other {
		slices.Reverse(lines)
	}
	q.other = !q.other
	for _, line := range lines {
		if len(*line) > 0 {
			l := (*line)[0]
			(*line)[0], *line = nil, (*line)[1:] // keep no lane that is over
			l.ready = false
			return l
		}
	}
	return nil
}

// park keeps l from being tried, unless it is kept. If a worker tries it, what comes of this counts.
func (q *Queue[T]) park(l *lane[T], w wait) {
	if l.ready || l.tried || l.place > 0 {
		return
	}
	l.wait = w
	if heap.Push(&q.parked, l); l.place == 1 && q.alarm != nil {
		q.alarm.Reset(time.Until(w.until))
	}
}

// stir lets a lane be tried that waits for an answer, or for a body to be closed.
func (q *Queue[T]) stir(l *lane[T]) {
	l.answers++
	if l.awaits {
		heap.Remove(&q.parked, int(l.place-1))
		l.wait = wait{}
		q.offer(l)
	}
}

// due makes all lanes ready whose time has come.
func (q *Queue[T]) due() {
	for now := time.Now(); len(q.parked) > 0 && !q.parked[0].until.After(now); {
		l := heap.Pop(&q.parked).(*lane[T])
		l.wait, l.ready = wait{}, true
		q.came = append(q.came, l)
		q.wake.Signal()
	}
}

// ring is called by the alarm, with q.mu unlocked.
func (q *Queue[T]) ring() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.due(); len(q.parked) > 0 && q.alarm != nil {
		q.alarm.Reset(time.Until(q.parked[0].until))
	}
}

// A pile is a heap: of the tasks of a lane, by their numbers, or of lanes, by the time at which each is
// to be tried.
type pile[E interface {
	Before(E) bool
	Stand(place int32) // notes where it is in the pile, from 1, or 0
}] []E

func (a task[T]) Before(b task[T]) bool   { return a.number < b.number }
func (task[T]) Stand(int32)               {}
func (a *lane[T]) Before(b *lane[T]) bool { return a.until.Before(b.until) }
func (a *lane[T]) Stand(place int32)      { a.place = place }

func (p pile[E]) Len() int           { return len(p) }
func (p pile[E]) Less(i, j int) bool { return p[i].Before(p[j]) }
func (p pile[E]) Swap(i, j int) {
	p[i], p[j] = p[j], p[i]
	p[i].Stand(int32(i + 1))
	p[j].Stand(int32(j + 1))
}

func (p *pile[E]) Push(e any) {
	*p = append(*p, e.(E))
	e.(E).Stand(int32(len(*p)))
}

func (p *pile[E]) Pop() any {
	var none E
	last := len(*p) - 1
	e := (*p)[last]
	(*p)[last], *p = none, (*p)[:last]
	e.Stand(0)
	return e
}

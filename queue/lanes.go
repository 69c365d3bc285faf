package queue

import (
	"cmp"
	"container/heap"
	"slices"
	"time"
)

// A task is an item, and how far it is.
type task[T any] struct {
	Item[T]
	number uint64 // tasks go in this order
	hop    *hop   // where to go on; nil: at the URL
}

// A hop is where redirects have led.
type hop struct {
	url   string
	count int // of hops that were refused
}

// url returns what to ask for.
func (t *task[T]) url() string {
	if t.hop != nil {
		return t.hop.url
	}
	return t.URL
}

// A lane has tasks that take turns. It is in one of four states: it is ready, it is parked until
// some time, a worker tries its first task, or it is empty. Many a lane gets its next task from
// the handler of its last one, or soon after: so it is kept for a while.
type lane[T any] struct {
	key   string
	tasks []task[T]   // as they were pushed
	back  byNumber[T] // that were handed out and came back, and hops from other lanes

	until    time.Time     // when it is to be tried again; since when it is empty
	turns    []time.Time   // that polite told to requests which it refused, in order
	since    time.Time     // when it was refused first after it last sent a request; zero if it was not
	patience time.Duration // how long its requests wait for their turns
	next     *lane[T]      // the ready lane behind it
	place    int32         // among those that are parked, from 1; 0 if it is not
	under    int32         // tasks that workers have
	tries    uint8         // refusals since it last sent a request
	ready    bool
	tried    bool // a worker tries its first task, and the others wait for what comes of this
	unknown  bool // polite has no robots.txt, as far as the queue knows
	guess    bool // until is a guess: it is tried when a request of it is answered
}

func (l *lane[T]) len() int { return len(l.tasks) + len(l.back) }

func (l *lane[T]) isEmpty() bool { return l.len() == 0 && l.under == 0 }

// pop takes the first task.
func (l *lane[T]) pop() (first task[T]) {
	if len(l.tasks) == 0 || len(l.back) > 0 && l.back[0].number < l.tasks[0].number {
		first = heap.Pop(&l.back).(task[T])
	} else {
		first, l.tasks[0] = l.tasks[0], first
		l.tasks = l.tasks[1:]
	}
	if l.len() == 0 {
		l.tasks, l.back = nil, nil // do not keep the arrays
	}
	l.under++
	l.tried = true
	return first
}

const (
	// leastWait covers what is between the timer and the site.
	leastWait = time.Millisecond

	// ahead is how much earlier a lane comes for a start that it has missed once more.
	ahead = 20 * time.Millisecond

	// longestWait is how long a request waits for its turn at most, in a fleet that is slow to
	// reserve one.
	longestWait = time.Second

	// rulesWait is how long a request waits for a robots.txt. polite calls a fetch slow then.
	rulesWait = 3 * time.Second

	// keptFor is how long an empty lane is kept.
	keptFor = time.Minute
)

// waits returns how long the next request waits.
func (l *lane[T]) waits() time.Duration {
	if l.unknown {
		return rulesWait
	}
	return cmp.Or(l.patience, leastWait)
}

// sent notes that a request of l was sent, or could have been.
func (l *lane[T]) sent() {
	l.since, l.tries, l.patience, l.unknown = time.Time{}, 0, 0, false
}

// refused notes that a request was refused until turn, and returns when to try again. If it came for a
// turn that it had been told, another process of the fleet was there before it. It comes earlier then,
// each time, so that whoever has waited for longest is the first to reserve the next start.
func (l *lane[T]) refused(turn time.Time, gap time.Duration, now time.Time) time.Time {
	if l.patience = 0; gap > 0 {
		l.patience = longestWait
	}
	if l.tries == 0 {
		l.since = now
	} else if gap > 0 && turn.Sub(now) > longestWait {
		turn = turn.Add(-min(time.Duration(l.tries)*ahead, longestWait/2))
	} else {
		turn = later(turn, now.Add(leastWait<<min(l.tries, 10)))
	}
	l.tries = min(l.tries, 100) + 1
	return turn
}

// told notes a turn that polite told to a request of l which it refused. The turn of the next that
// is refused lies behind it, so l takes all of them.
func (l *lane[T]) told(turn time.Time) {
	at, _ := slices.BinarySearchFunc(l.turns, turn, time.Time.Compare)
	l.turns = slices.Insert(l.turns, at, turn)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// lanes are all lanes of a queue that have tasks, or had some a while ago. A Mutex guards them.
type lanes[T any] struct {
	all     map[string]*lane[T]
	ready   line[T] // lanes that nothing keeps
	came    line[T] // lanes that were parked, and whose time has come
	other   bool    // the next to be tried is of ready, if both have one
	parked  parked[T]
	waiting int          // tasks of those that are parked
	alarm   *time.Timer  // rings when the first of them is to be tried; nil if nobody would hear it
	set     time.Time    // when it rings; zero if it does not
	empty   []emptied[T] // in order
}

// get returns the lane of key.
func (s *lanes[T]) get(key string) *lane[T] {
	l := s.all[key]
	if l == nil {
		if s.all == nil {
			s.all = make(map[string]*lane[T])
		}
		l = &lane[T]{key: key, unknown: true}
		s.all[key] = l
	}
	return l
}

// add adds a new task to l.
func (s *lanes[T]) add(l *lane[T], t task[T]) {
	l.tasks = append(l.tasks, t)
	s.count(l, 1)
}

// bring brings a task back to l, or one from another lane.
func (s *lanes[T]) bring(l *lane[T], t task[T]) {
	heap.Push(&l.back, t)
	s.count(l, 1)
}

func (s *lanes[T]) count(l *lane[T], tasks int) {
	if l.place > 0 {
		s.waiting += tasks
	}
}

// offer makes l ready if it has a task and nothing keeps it, and reports whether it does.
func (s *lanes[T]) offer(l *lane[T]) bool {
	switch {
	case l.isEmpty():
		s.forget(l, time.Now())
		return false
	case l.len() == 0 || l.ready || l.tried || l.place > 0:
		return false
	case len(l.turns) > 0:
		s.parkUntil(l, l.turns[0], false)
		l.turns = l.turns[1:]
		return false
	}
	s.ready.push(l)
	return true
}

// An emptied is a lane that was empty at some time.
type emptied[T any] struct {
	*lane[T]
	at time.Time
}

// isOver reports whether the lane has had a task since.
func (e emptied[T]) isOver() bool { return !e.isEmpty() || !e.until.Equal(e.at) }

// forget forgets l when it has been empty for a while, and now others that have.
func (s *lanes[T]) forget(l *lane[T], now time.Time) {
	l.until = now
	s.empty = append(s.empty, emptied[T]{l, now})
	for first := s.empty[0]; first.isOver() || now.Sub(first.at) > keptFor; first = s.empty[0] {
		if !first.isOver() && s.all[first.key] == first.lane { // and not one that took its place
			delete(s.all, first.key)
		}
		s.empty = s.empty[1:]
	}
}

// take takes the lane that has been ready for the longest time, or returns nil. Those that were
// parked and the others take turns: a site with long gaps should not miss its turn because of many
// without, nor these starve.
func (s *lanes[T]) take() *lane[T] {
	first, second := &s.came, &s.ready
	if s.other {
		first, second = second, first
	}
	s.other = !s.other
	if l := first.pop(); l != nil {
		return l
	}
	return second.pop()
}

// park keeps l until a turn that polite told to a request of it. If the turn is a guess, l may be
// tried at the next answer.
func (s *lanes[T]) park(l *lane[T], turn time.Time, guess bool) {
	if !guess {
		l.told(turn)
		s.offer(l)
	} else if !l.ready && !l.tried && l.place == 0 {
		s.parkUntil(l, turn, true)
	}
}

func (s *lanes[T]) parkUntil(l *lane[T], until time.Time, guess bool) {
	l.until, l.guess = until, guess
	heap.Push(&s.parked, l)
	s.waiting += l.len()
	s.setAlarm()
}

func (s *lanes[T]) unpark(l *lane[T]) {
	if l.place > 0 {
		s.waiting -= l.len()
		heap.Remove(&s.parked, int(l.place-1))
	}
}

// first returns the lane that is to be tried first of those that are parked, or nil.
func (s *lanes[T]) first() *lane[T] {
	if len(s.parked) == 0 {
		return nil
	}
	return s.parked[0]
}

// due makes all lanes ready whose time has come, and returns how many.
func (s *lanes[T]) due(now time.Time) (n int) {
	for first := s.first(); first != nil && !first.until.After(now); first = s.first() {
		s.unpark(first)
		s.came.push(first)
		n++
	}
	return n
}

// setAlarm sets the alarm for the first lane that is parked.
func (s *lanes[T]) setAlarm() {
	if s.alarm == nil {
		s.set = time.Time{}
		return
	}
	if first := s.first(); first == nil {
		s.alarm.Stop()
		s.set = time.Time{}
	} else if !first.until.Equal(s.set) {
		s.set = first.until
		s.alarm.Reset(time.Until(s.set))
	}
}

// A line has lanes that are ready, in order.
type line[T any] struct{ head, tail *lane[T] }

func (n *line[T]) push(l *lane[T]) {
	l.ready = true
	if n.head == nil {
		n.head = l
	} else {
		n.tail.next = l
	}
	n.tail = l
}

func (n *line[T]) pop() *lane[T] {
	l := n.head
	if l != nil {
		n.head, l.next, l.ready = l.next, nil, false
	}
	return l
}

// byNumber is a heap of tasks, by their numbers.
type byNumber[T any] []task[T]

func (b byNumber[T]) Len() int           { return len(b) }
func (b byNumber[T]) Less(i, j int) bool { return b[i].number < b[j].number }
func (b byNumber[T]) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *byNumber[T]) Push(t any)        { *b = append(*b, t.(task[T])) }

func (b *byNumber[T]) Pop() any {
	last := len(*b) - 1
	t := (*b)[last]
	(*b)[last], *b = task[T]{}, (*b)[:last]
	return t
}

// parked is a heap of lanes, by the time at which each is to be tried.
type parked[T any] []*lane[T]

func (p parked[T]) Len() int           { return len(p) }
func (p parked[T]) Less(i, j int) bool { return p[i].until.Before(p[j].until) }
func (p parked[T]) Swap(i, j int) {
	p[i], p[j] = p[j], p[i]
	p[i].place, p[j].place = int32(i+1), int32(j+1)
}

func (p *parked[T]) Push(l any) {
	*p = append(*p, l.(*lane[T]))
	l.(*lane[T]).place = int32(len(*p))
}

func (p *parked[T]) Pop() any {
	last := len(*p) - 1
	l := (*p)[last]
	(*p)[last], *p = nil, (*p)[:last]
	l.place = 0
	return l
}

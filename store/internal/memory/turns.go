package memory

import (
	"maps"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/fair"
)

// Turns are lanes, their breaks, and those who watch the breaks. The zero Turns is ready
// for use. It is safe for concurrent use. Do not copy it.
//
// Its methods do what those of [store.Turns] say, and forget lanes that delay nobody.
type Turns struct {
	mu       sync.Mutex
	floor    time.Time // starts that are not known were no later
	lanes    map[string]*lane
	breaks   map[string]Break
	lessons  map[string]lesson
	watchers map[*watcher]struct{}
	closed   bool

	most  int64 // bytes; 0: there is no bound
	full  int64 // the bytes at which to forget some
	bytes int64
	came  int64 // lanes and breaks so far
}

// A Break is a break of a lane.
type Break struct {
	Until  time.Time
	Length time.Duration // from its beginning
	Since  time.Time     // when the first of the breaks began that follow each other; zero: now
	age    int64         // smaller for one that came before
}

// A lesson is what a process has told of a lane.
type lesson struct {
	text string
	ends time.Time
}

func (l lesson) over() bool { return !l.ends.After(time.Now()) }

// Floor says that starts which Turns does not know may have been until a moment.
func (t *Turns) Floor(at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.floor = at
}

// Has reports whether a lane is known.
func (t *Turns) Has(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lanes[name] != nil
}

// Count returns how many lanes, breaks and Watches there are.
func (t *Turns) Count() (lanes, breaks, watches int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.lanes), len(t.breaks), len(t.watchers)
}

// Clear forgets all starts and breaks. Slots stay taken. All lanes begin after now.
func (t *Turns) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.floor = time.Now()
	clear(t.breaks)
	clear(t.lessons)
	t.bytes = 0
	for name, l := range t.lanes {
		if len(l.slots) == 0 {
			delete(t.lanes, name)
			continue
		}
		l.starts, l.queue, l.bytes = []Start{{At: t.floor}}, nil, 0
		t.recount(name, l)
	}
}

// Close returns the newest start of each lane, the breaks, and when the last start was, at the
// latest, of a lane that is not among them. After it, nothing is reserved.
func (t *Turns) Close() (newest map[string]Start, breaks map[string]Break, floor time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	newest = make(map[string]Start, len(t.lanes))
	for name, l := range t.lanes {
		newest[name] = l.newest()
	}
	return newest, maps.Clone(t.breaks), t.floor
}

// About what is taken, beside the text of the name.
const (
	breakBytes = 220
	laneBytes  = 260
	startBytes = 88 // with the token
	slotBytes  = 80 // also of who waits for one

	lessonBytes = 120 // without its text
)

// soon is how far away a start may be that is forgotten. The gap is kept to no later one.
const soon = time.Minute

// Bound says how many bytes lanes and breaks may take. Then t forgets some as package fair
// says, but no lane that has slots. Without a bound it forgets none.
//
// Starts that t does not know were no later than those that it has forgotten. So the gaps
// are kept, and some first starts in lanes wait for a gap that nobody needs.
func (t *Turns) Bound(bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.most, t.full = bytes, bytes
}

// Bytes returns about the memory that lanes and breaks take.
func (t *Turns) Bytes() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes
}

// next returns the age of what comes now.
func (t *Turns) next() int64 {
	t.came++
	return t.came
}

// recount counts what a lane takes now.
func (t *Turns) recount(name string, l *lane) {
	bytes := laneBytes + int64(len(name)) + startBytes*int64(cap(l.starts)) + slotBytes*int64(len(l.slots)+cap(l.queue))
	t.bytes += bytes - l.bytes
	l.bytes = bytes
}

// dropLane forgets a lane. It keeps the gap from its last start.
func (t *Turns) dropLane(name string, l *lane, now time.Time) {
	over := l.newest().over()
	if latest := now.Add(soon); over.After(latest) {
		over = latest
	}
	if l.newest().Binds(now) && over.After(t.floor) {
		t.floor = over
	}
	t.bytes -= l.bytes
	delete(t.lanes, name)
}

// dropBreak forgets a break.
func (t *Turns) dropBreak(name string) {
	delete(t.breaks, name)
	t.bytes -= breakBytes + int64(len(name))
	for w := range t.watchers {
		delete(w.lanes, name)
	}
}

// tellLane lets each Watch tell of a lane.
func (t *Turns) tellLane(name string) {
	for w := range t.watchers {
		w.lanes[name] = struct{}{}
		w.wake()
	}
}

// call lets each Watch tell that a slot of a lane is kept for a token.
func (t *Turns) call(name, token string) {
	for w := range t.watchers {
		if w.missed = w.missed || len(w.calls) >= mostKeys; !w.missed {
			w.calls[token] = name
		}
		w.wake()
	}
}

func (t *Turns) dropLesson(name string) {
	if l, ok := t.lessons[name]; ok {
		t.bytes -= lessonBytes + int64(len(name)+len(l.text))
		delete(t.lessons, name)
	}
}

// dropLessons forgets all lessons: they go first, since a lost one does no harm.
func (t *Turns) dropLessons() {
	for name := range t.lessons {
		t.dropLesson(name)
	}
}

// kept is a lane or a break.
type kept struct {
	name string
	lane *lane // nil: it is a break
}

// shrink forgets an eighth if there is too much.
func (t *Turns) shrink(now time.Time) {
	if t.most <= 0 || t.bytes <= t.full {
		return
	}
	t.dropLessons()
	all := t.droppable(now)
	fair.Sort(all)
	for _, l := range all {
		if t.bytes <= t.most/8*7 {
			break
		}
		if l.Value.lane != nil {
			t.dropLane(l.Value.name, l.Value.lane, now)
		} else {
			t.dropBreak(l.Value.name)
		}
	}
	t.full = max(t.most, t.bytes+t.most/8) // if all have slots, the next look is not at once
}

// droppable forgets what is over, and returns what else may be forgotten.
func (t *Turns) droppable(now time.Time) (all []fair.Lane[kept]) {
	for name, l := range t.lanes {
		switch l.expire(now); {
		case len(l.slots)+len(l.queue) > 0:
		case l.idle(now):
			t.dropLane(name, l, now)
		default:
			all = append(all, fair.Lane[kept]{Value: kept{name: name, lane: l}, Name: name, Age: l.age})
		}
	}
	for name, b := range t.breaks {
		if b.Until.After(now) {
			all = append(all, fair.Lane[kept]{Value: kept{name: name}, Name: name, Age: b.age})
		} else {
			t.dropBreak(name)
		}
	}
	return all
}

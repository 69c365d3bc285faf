package pace

import (
	"context"
	"errors"
	"time"
)

// A Turn is a turn that is under way. A nil Turn waits for nobody, and nobody waits for
// it.
type Turn struct {
	lane     *lane
	above    *Turn         // of the same request, in the lane above; nil if there is none
	tied     bool          // its start is reserved together with one in another lane
	number   uint64        // in the order in which turns begin, from 1
	ownGap   time.Duration // the gap to the turn before
	gap      time.Duration // the gap to the turn after: with jitter
	maxWait  time.Duration // the longest wait at the gate; 0: there is no limit
	limited  bool          // it keeps to what the site bears
	slot     bool          // it has a slot until it is done
	wired    bool          // it is counted in lane.wired
	slots    int           // how many slots it knows of
	hooked   bool          // it has to pass the gate
	answered bool
	probe    int // the number of its recovery; 0 if it is of none
	begun    time.Time
	binding  Binding
	lost     error // why its slot is lost

	stage   stage
	due     time.Time     // when it wants to pass the gate
	alarm   chan struct{} // wakes it there; nil until it waits
	window  Window
	booking *Booking      // what is reserved elsewhere; nil if nothing is
	written time.Time     // zero if that is not known
	overdue time.Duration // how long after its window it was written
	failure error         // why it was not written
	back    bool          // it was sent back

	older, newer *Turn // in lane.under
}

// A Pass is with what a request is handed on. It is counted until Done. The zero Pass is
// for a request that counts nowhere.
type Pass struct {
	Turn    *Turn    // nil if the request is alone in its lane and has nothing to keep
	counter *counter // if Turn is nil
	hash    uint64   // of the lane, if Turn is nil
}

// Well notes that a section of the site has answered a request well that took no turn.
func (p Pass) Well(section uint8) {
	if p.counter != nil {
		p.counter.learn(p.hash, section)
	}
}

// Done ends the turn, or the counting of the request. Call it once: it is enough to call it
// for the Turn if there is one.
func (p Pass) Done() {
	if p.counter != nil {
		p.counter.leave()
	}
	p.Turn.Done()
}

// A Booking is what is reserved for a turn elsewhere, beside its window. Turns at the
// gate of a lane may exchange what they have reserved.
type Booking struct {
	Gap  time.Duration     // by which the window is reserved
	Hold func(*Turn)       // is called with the turn that has the booking now
	End  func(unused bool) // is called once. unused says that the request was not written.

	// Again reserves another window, by a gap. The request cannot use what is over before from; zero
	// is any time.
	Again func(ctx context.Context, gap time.Duration, from time.Time) (Window, error)

	Answered func() // is called when the answer is known; may be nil
}

// A Binding joins a Turn to its request.
type Binding struct {
	Replayable bool            // the request can be sent again
	Stoppable  bool            // Lose ends it wherever it is, and Connected is called before it is written
	Lose       func(error)     // ends the request
	Release    func()          // is called when the turn is done; may be nil
	Context    context.Context // of the request as it was handed on

	// Changed reports whether the rules have changed since the request was judged, so that
	// it has to be judged again. If not, it returns the gap that they ask for now. It is
	// nil if no rules apply.
	Changed func() (changed bool, gap time.Duration)
}

// Context returns the context of the request as it was handed on. own is the caller's.
func (t *Turn) Context(own context.Context) context.Context {
	if t != nil && t.binding.Context != nil {
		return t.binding.Context
	}
	return own
}

// Hooked reports whether the request has to pass the gate when its connection is ready.
func (t *Turn) Hooked() bool { return t != nil && (t.hooked || t.leased()) }

// Spaced reports whether it matters when exactly the request is written.
func (t *Turn) Spaced() bool {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.gap > 0 || t.booking != nil || t.above != nil
}

// leased reports whether the turn has a slot that it can lose.
func (t *Turn) leased() bool { return t.slot && t.booking != nil }

// Lasts reports whether something has to be done when the body of the answer is done.
func (t *Turn) Lasts() bool {
	return t != nil && (t.slot || t.binding.Release != nil || t.above.Lasts())
}

// Bind joins the turn to its request. It may call b.Lose at once.
func (t *Turn) Bind(b Binding) {
	t.bindAbove(b)
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.binding = b
	if t.lost != nil {
		b.Lose(t.lost)
	}
	if t.lane.breakEnd.After(time.Now()) {
		t.stop()
	}
}

// Lose ends the request of a turn that has lost its slot.
func (t *Turn) Lose(why error) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	if t.lost = why; t.binding.Lose != nil {
		t.binding.Lose(why)
	}
}

// Book says what is reserved for the turn.
func (t *Turn) Book(b *Booking) {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	t.booking = b
	b.Hold(t)
}

// SentBack reports whether the gate has sent the turn back. The request then waits for
// another turn.
func (t *Turn) SentBack() bool {
	if t == nil {
		return false
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.back || t.above.SentBack()
}

// ErrWritten says that a break has ended a request in the moment in which it was written. Its
// answer is lost, and it must not be sent again.
var ErrWritten = errors.New("polite: a break began in the moment in which the request was written: its answer is lost")

// Failure returns why the gate did not let the request pass. If the request was written, it
// is nil or ErrWritten. A request that was sent back may still turn out to be written.
func (t *Turn) Failure() error {
	if t == nil {
		return nil
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.why()
}

// why is Failure, with the lock.
func (t *Turn) why() error {
	if t.failure == nil {
		return t.above.Failure()
	}
	return t.failure
}

// Overdue returns how long after its window the request was written.
func (t *Turn) Overdue() time.Duration {
	if t == nil {
		return 0
	}
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return max(t.overdue, t.above.Overdue())
}

// Answered tells what came of the turn. It may be called again, without effect.
func (t *Turn) Answered(answer Answer) Outcome {
	t.lane.mu.Lock()
	defer t.lane.mu.Unlock()
	return t.answer(answer)
}

func (t *Turn) answer(answer Answer) (o Outcome) {
	if t.answered {
		return o
	}
	t.answered = true
	if t.booking != nil && t.booking.Answered != nil {
		t.booking.Answered()
	}
	l, now := t.lane, time.Now()
	l.dismiss(t)
	if t.why() != nil {
		answer = Answer{} // the server has not seen it
	}
	o = l.answered(t.begun, t.written, t.limited, answer)
	if setback := l.after.end(t.probe, t.begun, now, answer, t.limited); setback > 0 {
		l.breakUntil(now.Add(setback))
	}
	if answer.Answered && t.written.IsZero() { // Base does not tell of its connections
		t.written = now
	}
	l.wake()
	return o
}

// unused reports whether the request was not written. A Base that has not called Connected may
// have written it all the same, unless it is known to call it.
func (t *Turn) unused() bool {
	handed := t.binding.Lose != nil
	silent := handed && t.stage == connects && !t.binding.Stoppable
	return t.written.IsZero() && !silent
}

// Done ends the turn. It may be called again, without effect, and at the same
// time.
func (t *Turn) Done() {
	if t == nil {
		return
	}
	defer t.above.Done()
	l := t.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	t.answer(Answer{})
	if t.binding.Release != nil {
		t.binding.Release()
	}
	if t.booking != nil {
		t.booking.End(t.unused())
		t.booking, t.window = nil, Window{}
	}
	if t.slot {
		t.slot = false
		l.taken--
		if t.wired {
			t.wired = false
			l.wired--
		}
		l.stayed(time.Since(t.begun))
		l.wake()
	}
}

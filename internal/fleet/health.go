package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// An Observer is told what happens to what this process shares, and concerns no single
// request. A function of it may be nil.
type Observer struct {
	Called   func(ctx context.Context, call string, began time.Time, err error) // a call has failed
	Happened func(Event)
	Differs  func(Difference)
}

// An Event is something that happens to what this process shares.
type Event struct {
	Kind string
	Err  error // why; may be nil
}

// The kinds of events.
const (
	Hears     = "hears"      // this process hears all breaks from now on
	Deaf      = "deaf"       // it hears them no more
	Dropped   = "dropped"    // all reservations were dropped
	LostStart = "lost-start" // a request was not ready in time for the start that was reserved
	LostSlot  = "lost-slot"  // the slot of a request was lost, and so the request was ended
	Retold    = "retold"     // a break was told again
	Fails     = "turns-fail" // turns cannot be reserved from now on
	Works     = "turns-work" // they can be reserved again
)

// A Health is how this process fares with Turns.
type Health struct {
	Listens bool      // it listens to Turns, as it does while requests come
	Hears   bool      // it hears all breaks
	Since   time.Time // when it began to hear, or to be deaf; zero before the first time
	Err     error     // why it is deaf

	Slack, Lead time.Duration // of this process, now

	LostStarts, LostSlots, Dropped, Retold, Overdue uint64

	DropErr error // why reservations were dropped last

	Failing error     // why turns cannot be reserved now; nil: they can
	Failed  time.Time // since when
}

// A health keeps the Health. The zero health is ready for use.
type health struct {
	mu       sync.Mutex
	now      Health
	observer Observer
}

// observe lets an observer be told from now on.
func (h *health) observe(o Observer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.observer = o
}

// get returns the Health now.
func (h *health) get() Health {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// note changes the Health and tells of events, if change returns any.
func (h *health) note(change func(*Health) []Event) {
	h.mu.Lock()
	events, tell := change(&h.now), h.observer.Happened
	h.mu.Unlock()
	for _, e := range events {
		if tell != nil {
			guard(func() { tell(e) })
		}
	}
}

// listens notes that this process begins to listen, or ends.
func (h *health) listens(on bool) {
	h.note(func(now *Health) []Event {
		now.Listens = on
		if !on {
			now.Hears = false
		}
		return nil
	})
}

// hears notes that all breaks are heard.
func (h *health) hears() {
	h.note(func(now *Health) []Event {
		if now.Hears {
			return nil
		}
		now.Hears, now.Since, now.Err = true, time.Now(), nil
		return []Event{{Kind: Hears}}
	})
}

// stops notes that Watch has returned. If it was heard, all reservations are dropped.
func (h *health) stops(began time.Time, err error, meant bool) {
	h.note(func(now *Health) (events []Event) {
		heard := now.Hears
		now.Hears = false
		if meant {
			return nil
		}
		if now.Err = err; heard || now.Since.IsZero() {
			now.Since = time.Now()
			events = []Event{{Deaf, err}}
		}
		if heard {
			now.Dropped++
			now.DropErr = err
			events = append(events, Event{Dropped, err})
		}
		return events
	})
	if !meant && err != nil && !errors.Is(err, store.ErrClosed) {
		h.called("watch", began, err)
	}
}

// turned notes whether a turn could be reserved.
func (h *health) turned(err error) {
	h.mu.Lock()
	same := (err == nil) == (h.now.Failing == nil)
	h.mu.Unlock()
	if same {
		return
	}
	h.note(func(now *Health) []Event {
		switch failed := now.Failing != nil; {
		case err != nil && !failed:
			now.Failing, now.Failed = err, time.Now()
			return []Event{{Fails, err}}
		case err == nil && failed:
			now.Failing, now.Failed = nil, time.Time{}
			return []Event{{Kind: Works}}
		}
		return nil
	})
}

// failing reports whether turns cannot be reserved now.
func (h *health) failing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now.Failing != nil
}

// called tells of a call that has failed.
func (h *health) called(call string, began time.Time, err error) {
	h.mu.Lock()
	tell := h.observer.Called
	h.mu.Unlock()
	if tell != nil {
		guard(func() { tell(context.Background(), call, began, err) })
	}
}

// count counts an event in one of the counts of Health.
func (h *health) count(kind string, err error) {
	h.note(func(now *Health) []Event {
		switch kind {
		case LostStart:
			now.LostStarts++
		case LostSlot:
			now.LostSlots++
		case Retold:
			now.Retold++
		}
		return []Event{{kind, err}}
	})
}

// differs tells of differences.
func (h *health) differs(all []Difference) {
	h.mu.Lock()
	tell := h.observer.Differs
	h.mu.Unlock()
	for _, d := range all {
		if tell != nil {
			guard(func() { tell(d) })
		}
	}
}

// guard tells something. A panic must not end the process: this may be a goroutine of ours.
func guard(tell func()) {
	defer func() { recover() }()
	tell()
}

// text tells h in a line, for those who operate the process.
func (h *Health) text() string {
	state := "hears"
	if !h.Hears {
		state = "deaf"
		if h.Err != nil {
			state += fmt.Sprintf("=%.200q", h.Err)
		}
	}
	if h.Failing != nil {
		state += fmt.Sprintf(" turns_fail=%.200q", h.Failing)
	}
	text := fmt.Sprintf("%s slack=%v lead=%v lost_starts=%d lost_slots=%d dropped=%d retold=%d overdue=%d", state,
		h.Slack.Round(time.Millisecond), h.Lead.Round(time.Millisecond), h.LostStarts, h.LostSlots, h.Dropped, h.Retold, h.Overdue)
	if h.DropErr != nil {
		text += fmt.Sprintf(" why=%.200q", h.DropErr)
	}
	return text
}

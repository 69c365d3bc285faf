package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// An Observer is told of events that concern what this process shares, and no single request. Its
// functions may be nil.
type Observer struct {
	Called   func(ctx context.Context, call string, began time.Time, err error) // a call has failed
	Happened func(store.HealthEvent)
}

// A health keeps how this process fares with Turns. The zero health is ready for use.
type health struct {
	mu       sync.Mutex
	now      state
	observer Observer
}

// A state is a Health, and what Deaf follows from.
type state struct {
	store.Health
	listens bool // to Turns, as a process does while requests come
	hears   bool // all breaks
	slow    bool // the last call that did not fail
}

// observe lets an observer be told from now on.
func (h *health) observe(o Observer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.observer = o
}

// get returns the state now.
func (h *health) get() state {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// note changes the state and tells of events, if change returns any.
func (h *health) note(change func(*state) []store.HealthEvent) {
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
	h.note(func(now *state) []store.HealthEvent {
		now.listens = on
		if !on {
			now.hears = false
		}
		return nil
	})
}

// hears notes that all breaks are heard.
func (h *health) hears() {
	h.note(func(now *state) []store.HealthEvent {
		if now.hears {
			return nil
		}
		now.hears, now.Since, now.Err = true, time.Now(), nil
		return []store.HealthEvent{{Kind: store.HealthHears}}
	})
}

// stops notes that Watch has returned. If it was heard, all reservations are dropped.
func (h *health) stops(began time.Time, err error, meant bool) {
	h.note(func(now *state) (events []store.HealthEvent) {
		heard := now.hears
		now.hears = false
		if meant {
			return nil
		}
		if now.Err = err; heard || now.Since.IsZero() {
			now.Since = time.Now()
			events = []store.HealthEvent{{Kind: store.HealthDeaf, Err: err}}
		}
		if heard {
			now.Dropped++
			now.DropErr = err
			events = append(events, store.HealthEvent{Kind: store.HealthDropped, Err: err})
		}
		return events
	})
	if !meant && err != nil && !errors.Is(err, store.ErrClosed) {
		h.called("watch", began, err)
	}
}

// slowCall is how long a call takes of which HealthSlow tells.
const slowCall = time.Second / 2

// turned notes whether a turn could be reserved, and how long the call took.
func (h *health) turned(took time.Duration, err error) {
	slow := took >= slowCall
	h.mu.Lock()
	same := (err == nil) == (h.now.Failing == nil) && (slow == h.now.slow || err != nil)
	h.mu.Unlock()
	if same {
		return
	}
	h.note(func(now *state) (events []store.HealthEvent) {
		switch failed := now.Failing != nil; {
		case err != nil && !failed:
			now.Failing, now.FailingSince = err, time.Now()
			events = append(events, store.HealthEvent{Kind: store.HealthTurnsFail, Err: err})
		case err == nil && failed:
			now.Failing, now.FailingSince = nil, time.Time{}
			events = append(events, store.HealthEvent{Kind: store.HealthTurnsWork})
		}
		if err == nil && slow && !now.slow {
			events = append(events, store.HealthEvent{Kind: store.HealthSlow, Err: fmt.Errorf("a call of Turns took %v", took.Round(time.Millisecond))})
		}
		now.slow = slow && err == nil || now.slow && err != nil
		return events
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
func (h *health) count(kind store.HealthKind, err error) {
	h.note(func(now *state) []store.HealthEvent {
		switch kind {
		case store.HealthLostStart:
			now.LostStarts++
		case store.HealthLostSlot:
			now.LostSlots++
		case store.HealthRetold:
			now.Retold++
		}
		return []store.HealthEvent{{Kind: kind, Err: err}}
	})
}

// differs tells of differences.
func (h *health) differs(all []store.Difference) {
	h.note(func(*state) (events []store.HealthEvent) {
		for _, d := range all {
			events = append(events, store.HealthEvent{Kind: store.HealthDiffers, Difference: d})
		}
		return events
	})
}

// guard tells something. A panic must not end the process: this may be a goroutine of ours.
func guard(tell func()) {
	defer func() { recover() }()
	tell()
}

// text tells h in a line, for those who operate the process.
func (h *state) text() string {
	state := "hears"
	if !h.hears {
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

package storetest_test

import (
	"slices"
	"time"

	"github.com/go-polite/polite/store"
)

var queueFlaws = []flaw{
	{"reserves starts without slots", "a start is reserved together with its slot"},
	{"takes slots for starts that are far", "a start further away than QueueAhead waits for its slot in the queue"},
	{"tells when the last lease ends", "who waits is told when the first lease ends"},
	{"keeps slots for the last in the queue", "a slot that is freed is kept for the first in the queue"},
	{"tells of no tokens", "the Watch of who waits tells whose slot is kept"},
	{"sends to the end of the queue who takes again", "who takes again keeps its place in the queue"},
	{"keeps in the queue who has left", "Done leaves the queue"},
	{"keeps a slot with each Done", "a repeated Done keeps one slot"},
	{"keeps one slot at a time", "several slots are kept for several"},
	{"goes by the Slots of the first asker", "the Slots of who waits count"},
	{"keeps no slot after a lease", "the end of a lease frees a slot for the first in the queue"},
	{"keeps slots for a minute", "a slot is kept for no longer than QueueHold"},
	{"gives kept slots to others", "who does not wait in the queue gets no slot that is kept"},
	{"lets who has a slot wait", "who has a slot keeps it while others wait"},
	{"lets wait who comes too late", "who would come too late does not wait"},
	{"takes slots with a start alone", "a slot without a start reserves none"},
}

// A flawedWaiter waits in the queue of a lane.
type flawedWaiter struct {
	token string
	slots int
	gap   int64
}

// handOn keeps free slots for those who wait.
func (s *flawedTurns) handOn(lane string, l *flawedLane, now int64) {
	for len(l.queue) > 0 {
		first := 0
		if s.is("keeps slots for the last in the queue") {
			first = len(l.queue) - 1
		}
		w := l.queue[first]
		held := s.is("keeps one slot at a time") && s.held(l, now)
		far := s.next(l.starts, store.Ask{Gap: time.Duration(w.gap)}, now)-now > int64(store.QueueAhead)
		if far || held || !s.free(l, store.Ask{Token: w.token, Slots: w.slots}, now) {
			return
		}
		l.queue = slices.Delete(l.queue, first, first+1)
		s.keepSlot(lane, l, w.token, now)
	}
}

func (s *flawedTurns) keepSlot(lane string, l *flawedLane, token string, now int64) {
	hold := store.QueueHold
	if s.is("keeps slots for a minute") {
		hold = time.Minute
	}
	l.slots[token] = flawedSlot{now, int64(hold)}
	if !s.is("tells of no tokens") {
		s.calls = append(s.calls, store.Change{Lane: lane, Token: token})
	}
}

// held reports whether a slot is kept for who has waited.
func (s *flawedTurns) held(l *flawedLane, now int64) bool {
	for _, slot := range l.slots {
		if slot.lease == int64(store.QueueHold) && s.lasts(slot, now) {
			return true
		}
	}
	return false
}

// inQueue takes a start and a slot, or lets a token wait. kept is the lane without the start.
func (s *flawedTurns) inQueue(l *flawedLane, kept []flawedStart, ask store.Ask, wait time.Duration, now int64) store.Grant {
	slot, has := l.slots[ask.Token]
	has = has && s.lasts(slot, now) && !s.is("lets who has a slot wait")
	place := slices.IndexFunc(l.queue, func(w flawedWaiter) bool { return w.token == ask.Token })
	before := place
	if place < 0 {
		before = len(l.queue)
	}
	turn := wait + time.Duration(before)*ask.Gap
	free := s.free(l, ask, now)
	far := wait > store.QueueAhead && !s.is("takes slots for starts that are far")
	switch {
	case ask.MaxWait > 0 && turn > ask.MaxWait && !s.is("lets wait who comes too late"):
		if place >= 0 {
			l.queue = slices.Delete(l.queue, place, place+1)
		}
		l.starts = kept
		return store.Grant{Wait: turn, Late: true}
	case !has && (far || len(l.queue) > 0 || !free):
		l.starts = kept
		s.enqueue(l, ask, place)
		if far {
			return store.Grant{Wait: turn, Queued: true}
		}
		return store.Grant{Wait: turn, Queued: true, Busy: true, Lease: s.firstEnd(l, now)}
	case s.is("reserves starts without slots") && wait > 0:
		return store.Grant{Wait: wait}
	}
	s.takeSlot(l, ask, now)
	startless := ask.Startless && ask.Gap > 0 && wait < ask.Lead
	if startless && !s.is("takes slots with a start alone") {
		l.starts = kept
	}
	return store.Grant{Wait: wait, Slot: true, Startless: startless}
}

func (s *flawedTurns) enqueue(l *flawedLane, ask store.Ask, place int) {
	w := flawedWaiter{ask.Token, ask.Slots, int64(ask.Gap)}
	if place >= 0 && s.is("sends to the end of the queue who takes again") {
		l.queue, place = slices.Delete(l.queue, place, place+1), -1
	}
	if place < 0 {
		l.queue = append(l.queue, w)
	} else {
		l.queue[place] = w
	}
}

// firstEnd returns how long it is until the first lease ends.
func (s *flawedTurns) firstEnd(l *flawedLane, now int64) time.Duration {
	var ends []int64
	for _, slot := range l.slots {
		if s.lasts(slot, now) {
			ends = append(ends, s.add(slot.at, slot.lease)-now)
		}
	}
	if s.is("tells when the last lease ends") {
		return time.Duration(slices.Max(ends))
	}
	return time.Duration(slices.Min(ends))
}

// leave lets a token leave the queue, and lets others have its slot.
func (s *flawedTurns) leave(lane string, l *flawedLane, token string) {
	if !s.is("keeps in the queue who has left") {
		l.queue = slices.DeleteFunc(l.queue, func(w flawedWaiter) bool { return w.token == token })
	}
	switch {
	case s.is("keeps a slot with each Done") && len(l.queue) > 0:
		next := l.queue[0].token
		l.queue = l.queue[1:]
		s.keepSlot(lane, l, next, s.now())
	case !s.is("gives kept slots to others"):
		s.handOn(lane, l, s.now())
	}
}

package turns

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/pace"
	"github.com/go-polite/polite/internal/quota"
	"github.com/go-polite/polite/store"
)

// breaks keeps breaks here, and tells Turns of them. It tells again those that Turns does not
// know: telling has failed, or Turns may have lost them.
type breaks struct {
	local      *pace.Pacer[Lane]
	turns      store.Turns  // nil: nobody is told
	me         string       // tells the lessons of this process from those of others
	generation func() int64 // counts the times in which Turns has lost nothing
	told       func()       // is called for each break that was told again

	due   atomic.Bool  // telling has failed, or there is more to tell
	all   atomic.Int64 // the generation in which all was told last
	works atomic.Bool
}

// keep keeps a break that Turns knows. It calls no hook: the first request that waits does.
func (b *breaks) keep(lane Lane, left time.Duration) {
	if left > 0 {
		until := time.Now().Add(min(left, quota.MaxRetryAfter))
		b.local.Break(lane, until, math.MaxInt64)
		b.local.Share(lane, until, b.generation())
	}
}

// learn takes in a lesson of another process. The break that belongs to it is known. Whoever hears
// its own lesson knows that the others hear it, too: of two that are told at once, Turns may tell
// the newest alone.
func (b *breaks) learn(lane Lane, text string) {
	by, lesson, ok := lessonOf(text)
	switch {
	case !ok:
	case by == b.me:
		b.local.Told(lane)
	default:
		lesson.Break = max(time.Until(b.local.BreakEnd(lane)), 0)
		if b.local.Learn(lane, lesson) {
			b.due.Store(true)
		}
	}
}

// begin begins a break here, and tells Turns while ctx lasts. It reports whether this makes requests
// wait for long.
func (b *breaks) begin(ctx context.Context, lane Lane, o pace.Outcome, called Called) (tell bool) {
	tell = b.local.Break(lane, o.Until, longWait)
	b.share(ctx, lane, o, called)
	return tell
}

// share tells Turns what follows from an answer, while ctx lasts. What was not told is told again.
func (b *breaks) share(ctx context.Context, lane Lane, o pace.Outcome, called Called) {
	if b.turns == nil {
		return
	}
	began := time.Now()
	err := b.tell(ctx, lane, o, b.generation())
	if called(ctx, "break", began, err); err != nil {
		b.due.Store(true)
	}
}

// tell tells Turns of a break, and the lesson in the same call. If Turns shares no lessons, there
// may be nothing to tell.
func (b *breaks) tell(ctx context.Context, lane Lane, o pace.Outcome, generation int64) (err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	left := max(time.Until(o.Until), 0)
	if teacher, ok := b.turns.(store.Teacher); ok && o.Tells {
		err = teacher.Teach(ctx, lane.Name(), left, lessonText(b.me, o.Lesson), lessonKeep)
	} else if left > 0 {
		err = b.turns.Break(ctx, lane.Name(), left)
	}
	if err == nil && left > 0 {
		b.local.Share(lane, o.Until, generation)
	}
	return err
}

// tellAgain is called while Watch hears all. By then Watch has told the breaks that Turns knows.
func (b *breaks) tellAgain() {
	generation := b.generation()
	if b.all.Load() == generation && !b.due.Load() || !b.works.CompareAndSwap(false, true) {
		return
	}
	go func() { // Watch is not to wait for it
		defer func() {
			recover() // a Turns that panics is not told
			b.works.Store(false)
		}()
		if b.due.Store(false); b.tellUnshared(generation) {
			b.all.Store(generation)
		} else {
			b.due.Store(true)
		}
	}()
}

// tellUnshared tells Turns of the breaks that it does not know. It reports whether Turns took
// them all.
func (b *breaks) tellUnshared(generation int64) bool {
	for _, unshared := range b.local.Unshared(generation) {
		if time.Until(unshared.Until) <= 0 {
			continue
		}
		o := pace.Outcome{Until: unshared.Until}
		o.Lesson, o.Tells = b.local.Lesson(unshared.Key)
		if err := b.tell(context.Background(), unshared.Key, o, generation); err != nil || b.generation() != generation {
			return false
		}
		if unshared.Known {
			b.due.Store(true) // until this process hears its own lesson
		} else {
			b.told()
		}
	}
	return true
}

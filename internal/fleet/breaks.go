package fleet

import (
	"context"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/quota"
	"github.com/go-polite/polite/store"
)

// breaks keeps breaks in this process, and tells Turns of them. It tells a break again if telling has
// failed, or if Turns may have lost the break.
type breaks struct {
	local      *lane.Lanes[Key]
	turns      store.Turns  // nil: nobody is told
	me         string       // the name by which this process knows its own lessons
	generation func() int64 // the number of the time in which Turns has lost nothing
	told       func()       // is called for each break that was told again

	due   atomic.Bool  // telling has failed, or there is more to tell
	all   atomic.Int64 // the generation in which all was told last
	works atomic.Bool
}

// keep keeps a break that Turns knows. It calls no hook: the first request that waits for the break
// does.
func (b *breaks) keep(key Key, left time.Duration) {
	if left > 0 {
		until := time.Now().Add(min(left, quota.MaxRetryAfter))
		b.local.Break(key, until)
		b.local.BreakTold(key, until, b.generation())
	}
}

// learn takes in a lesson of another process. The break of this lesson is known. A process that hears
// its own lesson knows that the others have heard it, too: of two lessons at once, Turns may tell only
// the newest.
func (b *breaks) learn(key Key, text string) {
	by, lesson, ok := lessonOf(text)
	switch {
	case !ok:
	case by == b.me:
		b.local.LessonHeard(key)
	default:
		lesson.Break = time.Until(b.local.BreakEnd(key))
		if b.local.Learn(key, lesson) {
			b.due.Store(true)
		}
	}
}

// share tells Turns what follows from an answer, while ctx lasts. What was not told is told again.
func (b *breaks) share(ctx context.Context, key Key, o lane.Outcome, called Called) {
	if b.turns == nil {
		return
	}
	began := time.Now()
	err := b.tell(ctx, key, o, b.generation())
	if called(ctx, "break", began, err); err != nil {
		b.due.Store(true)
	}
}

// tell tells Turns of a break and of the lesson in one call. If Turns shares no lessons, there may be
// nothing to tell.
func (b *breaks) tell(ctx context.Context, key Key, o lane.Outcome, generation int64) (err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	left := max(time.Until(o.Until), 0)
	if teacher, ok := store.As[store.Teacher](b.turns); ok && o.Tells {
		err = teacher.Teach(ctx, key.Name(), left, lessonText(b.me, o.Lesson), lane.RememberLimit)
	} else if left > 0 {
		err = b.turns.Break(ctx, key.Name(), left)
	}
	if err == nil && left > 0 {
		b.local.BreakTold(key, o.Until, generation)
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
		o := lane.Outcome{Until: unshared.Until}
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

// lessonVersion begins the text of a lesson. A process that does not know the version ignores the
// lesson.
const lessonVersion = "2"

// lessonText returns the text of a lesson that a process tells. The text does not say how long the
// break still lasts, since Turns tells this beside it.
func lessonText(by string, l limit.Lesson) string {
	incident := none
	switch {
	case l.Incident && l.Asked:
		incident = asked
	case l.Incident:
		incident = unasked
	}
	return fmt.Sprintf("%s %s %d %d %d %d %d %d", lessonVersion, by, incident, l.Level, l.Gap.Microseconds(), l.Plain.Microseconds(), l.Before.Microseconds(), l.Why)
}

// lessonOf reads the text of a lesson, and who tells it. Anybody may have written the text, so the
// values may make no sense: a limit.Limit bounds them.
func lessonOf(text string) (by string, l limit.Lesson, ok bool) {
	var numbers [6]int64
	fields := strings.Split(text, " ")
	if len(fields) != 2+len(numbers) || fields[0] != lessonVersion {
		return "", l, false
	}
	for i, field := range fields[2:] {
		n, err := strconv.ParseUint(field, 10, 50)
		if err != nil {
			return "", l, false
		}
		numbers[i] = int64(n)
	}
	micros := func(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
	l = limit.Lesson{
		Incident: numbers[0] == unasked || numbers[0] == asked, Why: limit.KindOf(numbers[5]), Asked: numbers[0] == asked, Level: int(numbers[1]),
		Gap: micros(numbers[2]), Plain: micros(numbers[3]), Before: micros(numbers[4]), Teller: crc32.ChecksumIEEE([]byte(fields[1])),
	}
	return fields[1], l, true
}

// How the text of a lesson tells of an incident.
const (
	none    = 0
	unasked = 1 // the site has not asked for the break
	asked   = 2
)

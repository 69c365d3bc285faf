package fleet

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// A teacher is a script that is told lessons.
type teacher struct{ *script }

func (s teacher) Teach(_ context.Context, lane string, wait time.Duration, lesson string, _ time.Duration) error {
	return s.call("teach", lane, wait.String(), lesson)
}

// A break is told at once. It is told again, and counted, if telling failed, or if Turns may have lost it; one that is
// over, or that Turns has told, is not.
func TestBreaksAreToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		l := New(1<<20, s)
		again := func() []string {
			l.breaks.tellAgain()
			synctest.Wait()
			return s.called()
		}
		begin := func(key string, lasts time.Duration) {
			l.Break(t.Context(), OfUser(key), lane.Outcome{Until: time.Now().Add(lasts)}, quiet)
		}
		assert.Empty(t, again())
		begin("a", 10*second)
		assert.Equal(t, []string{"0s break key a 10s"}, s.called())
		assert.Empty(t, again(), "it was told")

		s.fails(errAway)
		begin("b", 20*second)
		assert.Equal(t, []string{"0s break key b 20s"}, s.called())
		assert.Equal(t, []string{"0s break key b 20s"}, again(), "which fails once more")
		assert.Zero(t, l.Health().Retold)
		s.fails(nil)
		s.lasts(second)
		l.breaks.tellAgain()
		l.breaks.tellAgain() // while it is told
		time.Sleep(2 * second)
		assert.Equal(t, []string{"0s break key b 20s"}, s.called())
		assert.EqualValues(t, 1, l.Health().Retold)
		s.lasts(0)
		assert.Empty(t, again(), "it was told")

		l.breaks.keep(OfUser("c"), 30*second)
		l.breaks.keep(OfUser("d"), 0)
		l.breaks.keep(OfUser("e"), -second)
		assert.Empty(t, again(), "Turns has told it")
		assert.True(t, l.InBreak(OfUser("c")))
		assert.False(t, l.InBreak(OfUser("d")) || l.InBreak(OfUser("e")))
		l.watch.lose()
		assert.ElementsMatch(t, []string{"2s break key a 8s", "2s break key b 18s", "2s break key c 30s"}, again())
		assert.EqualValues(t, 4, l.Health().Retold)
		assert.Empty(t, again(), "all were told")
		time.Sleep(8 * second)
		s.lasts(second)
		l.watch.lose()
		l.breaks.tellAgain()
		time.Sleep(second / 2)
		l.watch.lose() // while they are told
		time.Sleep(3 * second)
		assert.Len(t, s.called(), 1)
		s.lasts(0)
		assert.Len(t, again(), 2, "but for the one that is over")
		s.fails(errPanics)
		l.watch.lose()
		assert.Len(t, again(), 1)
		s.fails(nil)
		l.watch.lose()
		assert.Len(t, again(), 2)
	})
}

// A Teacher is told of a break and its lesson in one call, also of a lesson without a break. Who has something to add to
// the lesson of another tells it until it is heard.
func TestLessonsAreToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := teacher{newScript()}
		l := New(1<<20, s)
		l.breaks.me = "me"
		key := OfUser("a")
		l.Teach(t.Context(), key, lane.Outcome{Tells: true, Lesson: limit.Lesson{Gap: second}}, quiet)
		l.Break(t.Context(), key, lane.Outcome{Until: time.Now().Add(second)}, quiet)
		l.Break(t.Context(), key, lane.Outcome{Until: time.Now().Add(2 * second), Tells: true, Lesson: limit.Lesson{Incident: true, Level: 3}}, quiet)
		assert.Equal(t, []string{"0s teach key a 0s 2 me 0 0 1000000 0 0 0", "0s break key a 1s", "0s teach key a 2s 2 me 1 3 0 0 0 0"}, s.called())

		l.hear(store.Change{Lane: "key a", Break: 8 * second, Lesson: lessonText("another", limit.Lesson{Incident: true, Level: 3, Why: limit.Busy})})
		assert.True(t, l.InBreak(key))
		assert.WithinDuration(t, time.Now().Add(8*second), l.BreakEnd(key), 0)
		assert.True(t, l.Limit(key).Incident, "it is learned")
		again := func() []string {
			l.breaks.tellAgain()
			synctest.Wait()
			return s.called()
		}
		l.Lanes.Answered(OfUser("c"), lane.Terms{Limit: true}, lane.Answer{Answered: true, Kind: limit.Good})
		mine := lessonText("me", limit.Lesson{Incident: true, Level: 3, Why: limit.Busy})
		l.hear(store.Change{Lane: "key c", Break: 8 * second, Lesson: mine})
		assert.False(t, l.Limit(OfUser("c")).Incident, "it is one of its own")
		assert.Empty(t, again())
		var noticed []string
		l.OnNotice(func(key string) { noticed = append(noticed, key) }, nil)
		l.hear(store.Change{Key: "a key of an entry"})
		l.hear(store.Change{Lane: "nothing", Break: 8 * second})
		assert.Equal(t, []string{"a key of an entry"}, noticed)
		l.hear(store.Change{Lane: "key b", Lesson: "a text"})
		assert.False(t, l.InBreak(OfUser("b")))
	})
}

package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// Each change of how a process fares is told once, with its cause, and is kept until the next.
func TestHealthChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h health
		var told []string
		h.observe(Observer{
			Called: func(_ context.Context, call string, _ time.Time, err error) {
				told = append(told, fmt.Sprint(call, ": ", err))
			},
			Happened: func(e store.HealthEvent) {
				told = append(told, strings.TrimSuffix(fmt.Sprint(e.Kind, " ", e.Difference.Setting, " ", e.Err), " <nil>"))
			},
		})
		began := time.Now()
		var same state
		for _, step := range []struct {
			name   string
			does   func()
			told   []string
			change func(s *state) // of the state before
		}{
			{"it listens", func() { h.listens(true) }, nil, func(s *state) { s.listens = true }},
			{"it hears", h.hears, []string{"hears "}, func(s *state) { s.hears, s.Since = true, began.Add(time.Second) }},
			{"it still hears", h.hears, nil, nil},
			{"it hears no more", func() { h.stops(began, errAway, false) }, []string{"deaf  away", "dropped  away", "watch: away"}, func(s *state) {
				s.hears, s.Since, s.Err, s.Dropped, s.DropErr = false, began.Add(3*time.Second), errAway, 1, errAway
			}},
			{"it still hears nothing", func() { h.stops(began, errPanics, false) }, []string{"watch: panics"}, func(s *state) { s.Err = errPanics }},
			{"nor without a cause", func() { h.stops(began, nil, false) }, nil, func(s *state) { s.Err = nil }},
			{"nor is it closed", func() { h.stops(began, store.ErrClosed, false) }, nil, func(s *state) { s.Err = store.ErrClosed }},
			{"it hears again", h.hears, []string{"hears "}, func(s *state) { s.hears, s.Since, s.Err = true, began.Add(7*time.Second), nil }},
			{"it stops on purpose", func() { h.stops(began, errAway, true) }, nil, func(s *state) { s.hears = false }},
			{"and hears", h.hears, []string{"hears "}, func(s *state) { s.hears, s.Since = true, began.Add(9*time.Second) }},
			{"it listens no more", func() { h.listens(false) }, nil, func(s *state) { s.listens, s.hears = false, false }},

			{"a turn is reserved", func() { h.turned(499*ms, nil) }, nil, nil},
			{"slowly", func() { h.turned(500*ms, nil) }, []string{"slow  a call of Turns took 500ms"}, func(s *state) { s.slow = true }},
			{"slowly again", func() { h.turned(time.Second, nil) }, nil, nil},
			{"turns fail", func() { h.turned(time.Second, errAway) }, []string{"turns-fail  away"}, func(s *state) { s.Failing, s.FailingSince = errAway, began.Add(14*time.Second) }},
			{"they still fail", func() { h.turned(0, errPanics) }, nil, nil},
			{"they work, slowly still", func() { h.turned(time.Second, nil) }, []string{"turns-work "}, func(s *state) { s.Failing, s.FailingSince = nil, time.Time{} }},
			{"fast again", func() { h.turned(0, nil) }, nil, func(s *state) { s.slow = false }},
			{"they fail slowly", func() { h.turned(time.Second, errAway) }, []string{"turns-fail  away"}, func(s *state) { s.Failing, s.FailingSince = errAway, began.Add(18*time.Second) }},
			{"and work", func() { h.turned(0, nil) }, []string{"turns-work "}, func(s *state) { s.Failing, s.FailingSince = nil, time.Time{} }},
			{"they fail again", func() { h.turned(0, errAway) }, []string{"turns-fail  away"}, func(s *state) { s.Failing, s.FailingSince = errAway, began.Add(20*time.Second) }},
			{"and work slowly", func() { h.turned(time.Second, nil) }, []string{"turns-work ", "slow  a call of Turns took 1s"}, func(s *state) { s.Failing, s.FailingSince, s.slow = nil, time.Time{}, true }},

			{"a start is lost", func() { h.count(store.HealthLostStart, nil) }, []string{"lost-start "}, func(s *state) { s.LostStarts++ }},
			{"a slot is lost", func() { h.count(store.HealthLostSlot, errAway) }, []string{"lost-slot  away"}, func(s *state) { s.LostSlots++ }},
			{"a break is told again", func() { h.count(store.HealthRetold, nil) }, []string{"retold "}, func(s *state) { s.Retold++ }},
			{"others differ", func() { h.differs([]store.Difference{{Setting: "A"}, {Setting: "B"}}) }, []string{"differs A", "differs B"}, nil},
		} {
			told = nil
			step.does()
			assert.Equal(t, step.told, told, step.name)
			if step.change != nil {
				step.change(&same)
			}
			assert.Equal(t, same, h.get(), step.name)
			assert.Equal(t, same.Failing != nil, h.failing(), step.name)
			time.Sleep(time.Second)
		}
		h.observe(Observer{})
		h.called("take", began, errAway)
		h.count(store.HealthRetold, nil)
		h.observe(Observer{Happened: func(store.HealthEvent) { panic("of the user") }, Called: func(context.Context, string, time.Time, error) { panic("of the user") }})
		h.called("take", began, errAway)
		h.count(store.HealthRetold, nil)
	})
}

// A process that has never heard is deaf from its first failure on.
func TestDeafFromTheBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		s.watches(func(context.Context, func(store.Change)) error { return errAway })
		l := New(1<<20, s)
		var told []store.HealthEvent
		l.Configure(nil, &Observer{Happened: func(e store.HealthEvent) { told = append(told, e) }})
		assert.Equal(t, store.Health{Shared: true, Slack: plainSlack, Lead: 250 * ms}, l.Health())
		l.Knows(OfUser("a"))
		synctest.Wait()
		began := time.Now()
		assert.Equal(t, store.Health{Shared: true, Deaf: true, Since: began, Err: errAway, Slack: plainSlack, Lead: 250 * ms}, l.Health())
		time.Sleep(2500 * ms)
		assert.Equal(t, began, l.Health().Since)
		l.StopWatching()
		time.Sleep(second)
		synctest.Wait()
		assert.False(t, l.Health().Deaf, "it listens no more")
		assert.Equal(t, []store.HealthEvent{{Kind: store.HealthDeaf, Err: errAway}}, told)
	})
}

// A process that Turns tells nothing any more is deaf.
func TestDeafAfterASilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		s.watches(func(ctx context.Context, f func(store.Change)) error {
			f(store.Change{})
			<-ctx.Done()
			return ctx.Err()
		})
		l := New(1<<20, s)
		l.Knows(OfUser("a"))
		began := time.Now()
		time.Sleep(2999 * ms)
		assert.False(t, l.Health().Deaf)
		time.Sleep(2 * ms)
		h := l.Health()
		assert.True(t, h.Deaf)
		assert.Equal(t, errSilent, h.Err)
		assert.WithinDuration(t, began.Add(3*second), h.Since, ms)
		l.StopWatching()
		time.Sleep(second)
	})
}

// A line tells others how a process fares.
func TestHealthText(t *testing.T) {
	why := errors.New("a \"cause\"")
	counts := store.Health{Slack: 7600 * time.Microsecond, Lead: 250400 * time.Microsecond, LostStarts: 1, LostSlots: 2, Dropped: 3, Retold: 4, Overdue: 5}
	const told = ` slack=8ms lead=250ms lost_starts=1 lost_slots=2 dropped=3 retold=4 overdue=5`
	with := func(edit func(*store.Health)) store.Health { h := counts; edit(&h); return h }
	for text, s := range map[string]state{
		"hears" + told:                                               {Health: counts, hears: true},
		"deaf" + told:                                                {Health: counts},
		`deaf="a \"cause\""` + told:                                  {Health: with(func(h *store.Health) { h.Err = why })},
		`hears turns_fail="a \"cause\""` + told:                      {Health: with(func(h *store.Health) { h.Failing = why }), hears: true},
		`hears` + told + ` why="a \"cause\""`:                        {Health: with(func(h *store.Health) { h.DropErr = why }), hears: true},
		`deaf="` + strings.Repeat("x", 200) + `"` + told:             {Health: with(func(h *store.Health) { h.Err = errors.New(strings.Repeat("x", 300)) })},
		`hears turns_fail="` + strings.Repeat("x", 200) + `"` + told: {Health: with(func(h *store.Health) { h.Failing = errors.New(strings.Repeat("x", 300)) }), hears: true},
	} {
		assert.Equal(t, text, s.text())
	}
}

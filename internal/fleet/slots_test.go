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

var errAway = errors.New("away")

// Slots are renewed each quarter of their lease while there are any. One that Turns has lost, or that nobody has renewed
// for four fifths of its lease, is lost once.
func TestSlotsAreRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		s.lasts(second)
		h := new(health)
		var failed []string
		h.observe(Observer{Called: func(_ context.Context, call string, _ time.Time, err error) {
			failed = append(failed, fmt.Sprint(call, " ", err))
		}})
		l := leases{turns: s, health: h}
		var lost []string
		add := func(token string, ago time.Duration) {
			l.add(token, "lane of "+token, time.Now().Add(-ago), func(err error) {
				assert.Equal(t, errSlotLost, err)
				lost = append(lost, fmt.Sprint(time.Since(s.began), " ", token))
			})
		}
		add("a", 0)
		add("b", second)
		time.Sleep(6 * second)
		assert.Equal(t, []string{"2.5s renew a b", "5s renew a b"}, s.called())
		l.end("a")
		l.end("a")
		time.Sleep(3 * second) // 9 s
		assert.Equal(t, []string{"7.5s renew b"}, s.called())
		s.fails(errAway)
		add("c", 0)
		time.Sleep(7200 * ms) // 16.2 s
		synctest.Wait()
		assert.Equal(t, []string{"15.5s b"}, lost, "8 s after it was renewed last")
		s.fails(errPanics)
		time.Sleep(2800 * ms) // 19 s
		synctest.Wait()
		assert.Equal(t, []string{"15.5s b", "17s c"}, lost, "8 s after it was taken")
		assert.Equal(t, []string{"renew away", "renew away", "renew away", "renew " + errSlotLost.Error()}, failed)
		assert.EqualValues(t, 2, h.get().LostSlots)
		l.end("b")
		l.end("c")
		s.called()
		time.Sleep(time.Minute)
		assert.Empty(t, s.called(), "none is left")

		s.fails(nil)
		s.lost = []string{"d", "gone"}
		add("d", 0)
		add("e", 0)
		time.Sleep(10 * second)
		synctest.Wait()
		assert.Equal(t, "d", lost[2][len(lost[2])-1:])
		assert.Len(t, lost, 3, "it is lost once, and the other is not")
		assert.EqualValues(t, 3, h.get().LostSlots)
		l.end("d")
		l.end("e")
		time.Sleep(second) // until the last call is over
	})
}

// What could not be given back is owed until its lease ends. Where others wait for it, it is tried ten times a second;
// where nobody knows whether there is anything, it is tried once Turns answers again.
func TestWhatIsOwed(t *testing.T) {
	for _, tt := range []struct {
		name    string
		sure    bool
		failing bool // turns fail before
		err     error
		calls   int // in the first 950 ms, while the call fails
		soon    int // once the call works
		paid    int // once a turn was reserved
	}{
		{"given back", true, false, nil, 1, 0, 0},
		{"others wait for it", true, false, errAway, 10, 1, 0},
		{"others wait for it, and turns fail", true, true, errAway, 10, 1, 0},
		{"it may have nothing", false, false, errAway, 1, 0, 1},
		{"it may have nothing, and turns fail", false, true, errAway, 0, 0, 1},
		{"Turns is closed", true, false, store.ErrClosed, 1, 0, 0},
		{"Turns panics", true, false, errPanics, 1, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, h := newScript(), new(health)
			s.fails(tt.err)
			l := leases{turns: s, health: h}
			if tt.failing {
				h.turned(0, errAway)
			}
			l.give("lane", "token", true, tt.sure, quiet)
			time.Sleep(950 * ms)
			calls := s.called()
			assert.Len(t, calls, tt.calls, tt.name)
			s.fails(nil)
			time.Sleep(second)
			assert.Len(t, s.called(), tt.soon, tt.name)
			l.pay()
			l.pay()
			synctest.Wait()
			assert.Len(t, s.called(), tt.paid, tt.name)
			for _, call := range calls {
				assert.Equal(t, "done lane token true", call[strings.Index(call, "done"):], tt.name)
			}
			time.Sleep(time.Minute)
			assert.Empty(t, s.called(), tt.name)
		})
	}
}

// Debts are paid one after the other, the oldest first; a lease that has ended is no debt, and the oldest of too many
// is forgotten.
func TestManyDebts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, h := newScript(), new(health)
		l := leases{turns: s, health: h}
		h.turned(0, errAway)
		owe := func(n int) {
			for i := range n {
				l.give("lane", fmt.Sprint(i), false, false, quiet)
			}
		}
		owe(mostOwed + 1)
		s.lasts(ms)
		l.pay()
		time.Sleep(second / 2)
		l.pay() // one pays already
		time.Sleep(second)
		calls := s.called()
		assert.Len(t, calls, mostOwed)
		assert.Equal(t, []string{"0s done lane 1 false", "1ms done lane 2 false"}, calls[:2])
		assert.Equal(t, "999ms done lane 1000 false", calls[mostOwed-1])

		owe(1)
		time.Sleep(9999 * ms)
		owe(1)
		time.Sleep(ms) // the lease of the first ends
		s.fails(errAway)
		l.pay()
		time.Sleep(50 * ms)
		assert.Len(t, s.called(), 1)
		l.pay()
		time.Sleep(49 * ms)
		assert.Empty(t, s.called(), "it waits a moment after a call that failed")
		time.Sleep(5 * ms)
		l.pay()
		synctest.Wait()
		assert.Len(t, s.called(), 1)
		time.Sleep(11 * second)
		s.called()
		l.pay()
		time.Sleep(second)
		synctest.Wait()
		assert.Empty(t, s.called())
		assert.Empty(t, l.owed)
	})
}

// Debts are paid once Turns tells all, unless turns fail; also then, after a silence.
func TestDebtsArePaidWhenTurnsIsHeard(t *testing.T) {
	for _, tt := range []struct{ first, failing, pays bool }{{false, false, true}, {false, true, false}, {true, true, true}} {
		synctest.Test(t, func(t *testing.T) {
			s := newScript()
			l := New(1<<20, s)
			l.health.turned(0, errAway)
			l.leases.give("lane", "token", false, false, quiet)
			if !tt.failing {
				l.health.turned(0, nil)
			}
			l.hears(tt.first)
			synctest.Wait()
			assert.Equal(t, tt.pays, len(s.called()) == 1, "%+v", tt)
		})
	}
}

package manners

import (
	"context"
	"hash/maphash"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
)

// ours is what polite does: package lane decides, as for each request of a Transport. Only the
// connections are missing: they are there at once. Without any setting, the ceiling is six.
type ours struct {
	t       *testing.T // of which virtual time is
	ceiling int        // 0: there is none
	lanes   *lane.Lanes[int]
	born    time.Time
	waiting []*lane.Ticket
}

// A turn is what a request holds until it is answered.
type turn struct{ lane.Admission }

func (o *ours) terms() lane.Terms {
	return lane.Terms{Limit: true, Ceiling: o.ceiling, MaxQueue: 10_000, MaxWait: -1}
}

// newOurs returns polite without a ceiling.
func newOurs(t *testing.T) controller { return &ours{t: t} }

// newPolite returns polite without any setting.
func newPolite(t *testing.T) controller { return &ours{t: t, ceiling: 6} }

func (o *ours) start() {
	o.born = time.Now()
	o.lanes = lane.New(lane.FewestLanes, lane.Keys[int]{
		Own: func(k int) int { return k }, Size: func(int) int { return 0 }, Name: func(int) string { return "site" }, Hash: func(int, maphash.Seed) uint64 { return 1 },
	})
}

func (o *ours) begin(_ time.Duration, goroutines int) (t turn, at time.Duration, ok bool) {
	if o.lanes == nil {
		o.start()
	}
	if len(o.waiting) == 0 {
		if a, ok := o.lanes.Begin(0, o.terms(), lane.Arrival{}); ok {
			o.write(a.Ticket)
			return turn{a}, 0, true
		}
	}
	for len(o.waiting) < goroutines {
		t, err := o.lanes.Join(context.Background(), 0, o.terms())
		if err != nil {
			panic(err)
		}
		o.waiting = append(o.waiting, t)
	}
	first := o.waiting[0]
	if first.Connect(nil) {
		o.waiting = o.waiting[1:]
		o.write(first)
		return turn{lane.Admission{Ticket: first}}, 0, true
	}
	if s, _ := o.lanes.State(0); s.Next.After(time.Now()) {
		at = s.Next.Sub(o.born)
	}
	return t, at, false
}

// write lets a request be written that has connected.
func (o *ours) write(t *lane.Ticket) {
	if !t.Hooked() {
		return
	}
	if err := t.Connected(context.Background(), false); err != nil {
		panic(err)
	}
	t.Writing()
	t.Wrote()
}

func (o *ours) end(a answer) {
	switch learned := learned(a); {
	case a.turn.Ticket != nil:
		a.turn.Ticket.Answered(learned)
	case learned.Says():
		o.lanes.Answered(0, o.terms(), learned)
	case learned.Kind == limit.Good:
		a.turn.Well(learned.Section)
	}
	a.turn.Done()
}

// learned is an answer as a lane hears of it.
func learned(a answer) lane.Answer {
	return lane.Answer{
		Kind: kindOf(a.reply.status), Answered: a.reply.status != 0,
		Section: uint8(a.page.section), Target: uint32(a.page.number),
		RetryAfter: a.reply.retryAfter, QuotaGap: a.reply.quotaGap, QuotaLeft: a.reply.quotaLeft, QuotaBreak: a.reply.quotaBreak,
	}
}

func kindOf(status int) limit.Kind {
	switch status {
	case 0:
		return limit.Refused
	case 200:
		return limit.Good
	case 429:
		return limit.Busy
	case 503:
		return limit.Down
	case 500, 502, 504:
		return limit.Broken
	case 403:
		return limit.Barred
	default:
		return limit.Neutral
	}
}

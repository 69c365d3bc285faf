package polite

import (
	"context"
	"fmt"
	"time"

	"github.com/go-polite/polite/internal/pace"
)

// A line gives requests their turns, in the lanes of a Cache.
type line struct {
	paces paces
	plain pace.Terms // by the usual Pace, where a site asks for no delay
	cache *Cache
	log   logbook
	told  told
}

func newLine(paces paces, cache *Cache, log logbook, told told) line {
	l := line{paces: paces, plain: paces.usual.terms(), cache: cache, log: log, told: told}
	l.plain.Reserved = cache.shared.turns != nil
	return l
}

// free reports whether a request judged by v has nothing to wait for. This is mostly
// so.
func (l *line) free(to *site, v *verdict) bool {
	_, delayed := v.rules.CrawlDelay()
	return !delayed && l.isFree(to) && l.cache.lanes.Keys() == 0 && l.cache.shared.watch.hears()
}

// isFree reports whether the Pace of a site asks for nothing.
func (l *line) isFree(to *site) bool {
	if to.pace == l.paces.usual {
		return l.plain.Free()
	}
	terms := to.pace.terms()
	return terms.Free()
}

// take waits for the turn of a request judged by v. If back is true, the request was
// sent back, and goes before all others. take calls again when the request must be
// judged again: when the rules have changed, and when its turn has come but v is out of
// date. Before the request waits, take calls waits with when its turn comes, at about that
// time. The error is a *pace.LateError if the turn comes too late.
func (l *line) take(ctx context.Context, to *site, v *verdict, back bool, waits func(turn time.Time), again func(come bool) error) (*pace.Turn, error) {
	terms, err := l.terms(to, v)
	if err != nil {
		return nil, err
	}
	if err := l.heed(ctx, to, terms); err != nil {
		return nil, err
	}
	join := l.cache.lanes.Rejoin
	if !back {
		join = l.cache.lanes.Join
		if turn, ok := l.cache.lanes.Begin(to.lane(), terms); ok {
			l.cache.memory.trim()
			return turn, nil
		}
	}
	place, err := join(ctx, to.lane(), terms)
	if err != nil {
		return nil, err
	}
	return l.wait(ctx, to, v, place, waits, again)
}

// heed asks Turns whether there is a break. If Turns fails, it tells a request by terms
// when to come back.
func (l *line) heed(ctx context.Context, to *site, terms pace.Terms) error {
	err := l.cache.shared.heed(ctx, to.lane(), l.told)
	if late, ok := err.(*pace.LateError); ok {
		late.Turn = l.cache.lanes.Promise(to.lane(), terms, late.Turn)
		l.cache.memory.trim()
	}
	return err
}

func (l *line) wait(ctx context.Context, to *site, v *verdict, place *pace.Place, waits func(turn time.Time), again func(come bool) error) (*pace.Turn, error) {
	defer place.Leave()
	start := l.cache.shared.reservation(to.lane(), l.told)
	defer start.giveBack() // if no turn has got it
	turn, long := place.Long(longWait)
	if long {
		l.log.waits(ctx, to.origin, turn)
	}
	waits(turn)
	for {
		step, err := place.Wait(ctx, v.gone(), v.look(l.cache))
		switch {
		case err != nil:
			return nil, err
		case step == pace.Reserve:
			if err := start.take(ctx, place); err != nil {
				return nil, err
			}
		case step == pace.Begin && v.current(l.cache, to):
			if err := l.cache.shared.heed(ctx, to.lane(), l.told); err != nil { // a break may have begun since the start was reserved
				return nil, err
			}
			if turn, ok := place.Start(); ok {
				start.hand(turn)
				return turn, nil
			}
		default:
			if err := again(step == pace.Begin); err != nil {
				return nil, err
			}
			terms, err := l.terms(to, v)
			if err != nil {
				return nil, err
			}
			place.Update(terms)
		}
	}
}

// terms returns how a request judged by v takes its turn. If the site asks for too
// long a delay, the error is when to ask again.
func (l *line) terms(to *site, v *verdict) (pace.Terms, error) {
	terms := l.plainTerms(to)
	delay, ok := v.rules.CrawlDelay()
	if !ok {
		return terms, nil
	}
	gap, refuse := to.pace.siteDelay(delay)
	if refuse {
		why := fmt.Sprintf("the site asks for a delay of %v, until its robots.txt is asked for again", delay)
		return terms, &pace.LateError{Turn: l.refusedUntil(v, delay), Why: why}
	}
	terms.Gap = max(terms.Gap, gap)
	return terms, nil
}

// plainTerms returns how a request takes its turn at a site that asks for no delay.
func (l *line) plainTerms(to *site) pace.Terms {
	if to.pace == l.paces.usual {
		return l.plain
	}
	terms := to.pace.terms()
	terms.Reserved = l.plain.Reserved
	return terms
}

// refusedUntil returns when to come back to a site that asks for too long a delay.
func (l *line) refusedUntil(v *verdict, delay time.Duration) time.Time {
	next, late := l.cache.wall(v.entry.Refresh), time.Now().Add(delay)
	if late.After(next) {
		return late
	}
	return next
}

// describe fills in when a request judged by v could have its turn.
func (l *line) describe(d *Decision, to *site, v *verdict) {
	d.CrawlDelay, _ = v.rules.CrawlDelay()
	gap, refuse := to.pace.siteDelay(d.CrawlDelay)
	if refuse {
		d.Start = l.refusedUntil(v, d.CrawlDelay)
		return
	}
	terms := l.plainTerms(to)
	terms.Gap = max(terms.Gap, gap)
	var turn time.Time
	if turn, d.Gap = l.cache.lanes.Next(to.lane(), terms); turn.After(time.Now()) {
		d.Start = turn
	}
}

// describeShared fills in when the turn comes if Turns knows a later one. If Turns fails,
// the turn is what this process knows.
func (l *line) describeShared(ctx context.Context, d *Decision, to *site) {
	if turn := l.cache.shared.next(ctx, to.lane(), d.Gap, l.told); turn.After(d.Start) {
		d.Start = turn
	}
}

package limit_test

import (
	"time"

	"github.com/go-polite/polite/internal/limit"
)

const usual = 50 * time.Millisecond // that an answer takes

// A play is a client of one goroutine, and its time.
type play struct {
	lane limit.Limit
	now  time.Duration
}

func newPlay() *play { return &play{now: time.Hour} }

// ask sends a request as soon as it may, and answers it.
func (p *play) ask(a limit.Answer) limit.Asks {
	p.now = p.lane.Next(p.now)
	p.lane.Begin(p.now)
	a.Begun = p.now
	if a.Took == 0 && a.Kind != limit.Refused && a.Kind != limit.Silent {
		a.Took = usual
	}
	p.now += max(a.Took, usual)
	a.Now = p.now
	return p.lane.End(a)
}

func (p *play) asks(kind limit.Kind, times int) (last limit.Asks) {
	for range times {
		last = p.ask(limit.Answer{Kind: kind})
	}
	return last
}

func (p *play) state() limit.State { return p.lane.State(p.now) }

// round begins as many as may be under way, and answers all of them in the end.
func (p *play) round(kind limit.Kind, took time.Duration) (last limit.Asks) {
	p.now = p.lane.Next(p.now)
	begun := 0
	for p.lane.Room(p.now) {
		p.lane.Begin(p.now)
		begun++
	}
	start := p.now
	p.now += took
	for range begun {
		last = p.lane.End(limit.Answer{Kind: kind, Begun: start, Now: p.now, Took: took})
	}
	return last
}

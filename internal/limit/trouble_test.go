package limit_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
)

// A site whose limit is known, and that answers 503 for long, was down all the same.
func TestDownIsNoBanWhereALimitIsKnown(t *testing.T) {
	p := limited()
	p.paced(100, 100*time.Millisecond)
	gap := p.lane.Gap(p.now)
	p.asks(limit.Down, 12)
	p.asks(limit.Good, 1)
	assert.Less(t, p.lane.Gap(p.now), 2*gap)
}

// A ban is as long as its own refusals say, whatever was wrong before.
func TestBanBeginsWithItsOwnRefusals(t *testing.T) {
	p := newPlay()
	p.paced(300, 100*time.Millisecond)
	p.asks(limit.Broken, 60)
	p.asks(limit.Barred, 2)
	p.asks(limit.Good, 1)
	assert.Less(t, p.lane.Gap(p.now), 250*time.Millisecond)
}

// A break is twice as long as the last one, of whatever kind this was.
func TestBreakDoublesTheLastOne(t *testing.T) {
	p := newPlay()
	p.asks(limit.Good, 10)
	p.asks(limit.Broken, 60)
	p.asks(limit.Down, 1)
	assert.LessOrEqual(t, p.state().Break, 20*time.Second)
}

// A limit of ten a second that drops far for five minutes is used again five minutes after.
func TestRateRisesAgainAfterAFall(t *testing.T) {
	p := newPlay()
	var last time.Duration // good answer
	crawl := func(gap, lasts time.Duration) (good int) {
		for end := p.now + lasts; p.now < end; {
			if at := p.lane.Next(p.now); at-last < gap {
				p.asks(limit.Busy, 1)
				continue
			}
			p.asks(limit.Good, 1)
			last = p.now - usual
			good++
		}
		return good
	}
	crawl(100*time.Millisecond, 5*time.Minute)
	crawl(2*time.Second, 5*time.Minute)
	assert.Greater(t, p.lane.Gap(p.now), time.Second)
	crawl(100*time.Millisecond, 4*time.Minute)
	assert.Greater(t, crawl(100*time.Millisecond, time.Minute), 540)
}

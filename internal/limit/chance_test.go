package limit_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
)

// byChance asks so often, and lets a part be refused at any rate. It returns how many refusals began an
// incident.
func (p *play) byChance(part float64, times int) (incidents int) {
	chance := rand.New(rand.NewPCG(1, 2))
	for range times {
		kind := limit.Good
		if chance.Float64() < part {
			kind = limit.Down
		}
		if p.ask(limit.Answer{Kind: kind, Section: uint8(chance.IntN(8)), Target: chance.Uint32()}).Incident {
			incidents++
		}
	}
	return incidents
}

// Refusals that come by chance begin no incidents, once this is known. It is over if far more is refused,
// or if nothing is refused for long: then a refusal is a limit again.
func TestChanceThatIsOver(t *testing.T) {
	known := func() *play {
		p := newPlay()
		p.byChance(0, 200)
		assert.Positive(t, p.byChance(0.1, 2000))
		assert.LessOrEqual(t, p.byChance(0.1, 2000), 1, "it is known")
		return p
	}
	p := known()
	assert.Positive(t, p.byChance(0.5, 100), "far more is refused")
	p = known()
	p.byChance(0, 500)
	assert.True(t, p.asks(limit.Down, 1).Incident, "after 500 good answers")
}

// A site with a limit that refuses a tenth by chance, too, is crawled at its limit, more or less: a higher rate that is
// tried in vain is given up.
func TestLimitBesideChance(t *testing.T) {
	for _, gap := range []time.Duration{100 * time.Millisecond, 500 * time.Millisecond} {
		p, chance := newPlay(), rand.New(rand.NewPCG(1, 2))
		var good, bad int
		var last time.Duration // that was not too early
		for begun := p.now; p.now-begun < 40*time.Minute; {
			kind, at := limit.Good, p.lane.Next(p.now)
			early := at-last < gap
			if !early {
				last = at
			}
			if early || chance.Float64() < 0.1 {
				kind = limit.Down
				bad++
			} else {
				good++
			}
			p.ask(limit.Answer{Kind: kind, Section: uint8(chance.IntN(8)), Target: chance.Uint32()})
		}
		assert.Greater(t, good, int(40*time.Minute/gap)*3/10, gap)
		assert.Less(t, bad, good/4, gap)
	}
}

// Where refusals come by chance, one after a break may be chance, too. It makes the break no longer.
func TestChanceAfterABreak(t *testing.T) {
	p := newPlay()
	p.byChance(0, 200)
	p.byChance(0.1, 4000)
	row := 0
	for ; row < 100 && !p.state().Incident; row++ {
		p.ask(limit.Answer{Kind: limit.Down, Section: uint8(row % 8), Target: uint32(row + 1)})
	}
	assert.Equal(t, 5, row, "a row of so many in several sections is no chance")
	assert.True(t, p.asks(limit.Down, 1).Incident)
	assert.Zero(t, p.state().Level)
	p.asks(limit.Down, 10)
	assert.Positive(t, p.state().Level, "so many are no chance")
}

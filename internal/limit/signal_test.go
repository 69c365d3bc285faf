package limit_test

import (
	"slices"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
)

// Rows of 5xx and 403 count where the section was good before.
func TestRows(t *testing.T) {
	const home, shop, closed = 1, 2, 3
	good := func(section uint8) limit.Answer { return limit.Answer{Kind: limit.Good, Section: section} }
	broken := func(section uint8) limit.Answer { return limit.Answer{Kind: limit.Broken, Section: section} }
	barred := func(section uint8) limit.Answer { return limit.Answer{Kind: limit.Barred, Section: section} }
	for _, tt := range []struct {
		name      string
		answers   []limit.Answer
		incidents int
	}{
		{"four are chance", append(many(3, good(home)), many(4, broken(home))...), 0},
		{"five are not", append(many(3, good(home)), many(5, broken(home))...), 1},
		{"five of 403", append(many(3, good(home)), many(5, barred(home))...), 1},
		{"of both", append(many(3, good(home)), append(many(2, barred(home)), many(3, broken(home))...)...), 1},
		{"a good one between", append(many(1, good(home)), append(append(many(4, broken(home)), good(home)), many(4, broken(home))...)...), 0},
		{"never good", append(many(3, good(home)), many(100, barred(closed))...), 0},
		{"never good, and broken", append(many(3, good(home)), many(19, broken(closed))...), 0},
		{"never good, and broken for long", append(many(3, good(home)), many(20, broken(closed))...), 1},
		{"several were never good", append(many(3, good(home)), barred(closed), barred(shop), barred(closed), barred(shop), barred(closed)), 1},
		{"several were never good, and one is", append(many(3, good(home)), barred(closed), barred(shop), good(home), barred(closed), barred(shop), barred(closed)), 0},
		{"nothing was good", many(5, broken(home)), 1},
		{"nothing was good, four", many(4, broken(home)), 0},
		{"one section of two", append([]limit.Answer{good(home), good(shop)}, many(19, broken(shop))...), 0},
		{"for long", append([]limit.Answer{good(home), good(shop)}, many(20, broken(shop))...), 1},
		{"both sections", append([]limit.Answer{good(home), good(shop)}, broken(home), broken(shop), broken(shop), broken(shop), broken(shop)), 1},
		{"a neutral one between", append([]limit.Answer{good(home)}, broken(home), broken(home), broken(home), broken(home), limit.Answer{}, broken(home)), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, incidents := newPlay(), 0
			for _, a := range tt.answers {
				if p.ask(a).Incident {
					incidents++
				}
			}
			assert.Equal(t, tt.incidents, incidents)
		})
	}
}

func many(n int, a limit.Answer) []limit.Answer { return slices.Repeat([]limit.Answer{a}, n) }

// In an incident, a section that was never good says something, but not much.
func TestUnknownSectionInAnIncident(t *testing.T) {
	p := newPlay()
	p.asks(limit.Good, 1)
	p.asks(limit.Busy, 1)
	for range 10 {
		asks := p.ask(limit.Answer{Kind: limit.Broken, Section: 9})
		within(t, time.Second, asks.Break)
	}
}

func TestTimeouts(t *testing.T) {
	type request struct {
		begun, ends time.Duration
		kind        limit.Kind
	}
	s := time.Second
	for _, tt := range []struct {
		name     string
		requests []request // in the order of their ends
		incident bool      // by the last
	}{
		{"nothing else", []request{{0, 30 * s, limit.Silent}}, true},
		{"an earlier one was answered", []request{{0, s, limit.Good}, {s, 31 * s, limit.Silent}}, true},
		{"a later one was answered", []request{{2 * s, 3 * s, limit.Good}, {s, 31 * s, limit.Silent}}, false},
		{"a later one was answered with 404", []request{{2 * s, 3 * s, limit.Neutral}, {s, 31 * s, limit.Silent}}, false},
		{"two in a row", []request{{20 * s, 21 * s, limit.Good}, {s, 31 * s, limit.Silent}, {2 * s, 32 * s, limit.Silent}}, false},
		{"three in a row", []request{{20 * s, 21 * s, limit.Good}, {s, 31 * s, limit.Silent}, {2 * s, 32 * s, limit.Silent}, {3 * s, 33 * s, limit.Silent}}, true},
		{"not in a row", []request{{20 * s, 21 * s, limit.Good}, {s, 31 * s, limit.Silent}, {2 * s, 32 * s, limit.Silent}, {32 * s, 32 * s, limit.Good}, {3 * s, 33 * s, limit.Silent}}, false},
		{"not in a row, by a 500", []request{{20 * s, 21 * s, limit.Good}, {s, 31 * s, limit.Silent}, {2 * s, 32 * s, limit.Silent}, {20 * s, 32 * s, limit.Broken}, {3 * s, 33 * s, limit.Silent}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lane limit.Limit
			var last limit.Asks
			inOrder := slices.Clone(tt.requests)
			slices.SortFunc(inOrder, func(a, b request) int { return int(a.begun - b.begun) })
			for _, r := range inOrder {
				lane.Begin(time.Hour + r.begun)
			}
			for _, r := range tt.requests {
				a := limit.Answer{Kind: r.kind, Begun: time.Hour + r.begun, Now: time.Hour + r.ends}
				if r.kind != limit.Silent {
					a.Took = a.Now - a.Begun + 1
				}
				last = lane.End(a)
			}
			assert.Equal(t, tt.incident, last.Incident)
		})
	}
}

// A limit refuses any target, also when each is asked for again.
func TestLimitRefusesAnyTarget(t *testing.T) {
	p, rarer := newPlay(), 10.0
	for i := range 10 {
		for j := range int(rarer) {
			p.ask(limit.Answer{Kind: limit.Good, Target: uint32(100_000*i + j + 100)})
		}
		rarer *= 1.3
		assert.True(t, p.ask(limit.Answer{Kind: limit.Busy, Target: uint32(1 + i%5)}).Incident, "round %d", i)
	}
}

// share asks for others, and each so often for a target that is always refused. It returns how
// many incidents that began.
func (p *play) share(target uint32, each, times int) (incidents int) {
	for i := range each * times {
		a := limit.Answer{Kind: limit.Good, Target: uint32(1000 + i)}
		if i%each == each-1 {
			a = limit.Answer{Kind: limit.Busy, Target: target}
		}
		if p.ask(a).Incident {
			incidents++
		}
	}
	return incidents
}

// A target that is asked for often is found out, too, and what its refusals have taught is
// forgotten.
func TestTargetThatIsRefusedTeachesNothing(t *testing.T) {
	for _, tt := range []struct{ each, incidents int }{{2, 8}, {4, 3}, {8, 2}, {50, 1}} {
		p := newPlay()
		assert.Equal(t, tt.incidents, p.share(7, tt.each, 200), "each %d", tt.each)
		assert.Zero(t, p.state().Gap, "each %d", tt.each)
		assert.False(t, p.state().Incident, "each %d", tt.each)
	}
}

// What others have taught as well is not forgotten.
func TestLimitIsRememberedBesideATarget(t *testing.T) {
	p := newPlay()
	p.paced(100, 100*time.Millisecond)
	p.asks(limit.Busy, 1)
	p.paced(30, 100*time.Millisecond)
	p.share(7, 20, 3)
	assert.Greater(t, p.state().Gap, 50*time.Millisecond)
}

// Several targets may be refused.
func TestSomeTargetsAreNoLimit(t *testing.T) {
	p := newPlay()
	for range 10 {
		for target := range uint32(4) {
			p.share(target+1, 8, 1)
		}
	}
	assert.Zero(t, p.share(1, 8, 1))
	assert.Zero(t, p.state().Gap)
}

// A section that always answers 429 is no limit of the site, however many URLs it has.
func TestSectionThatIsRefusedIsNoLimit(t *testing.T) {
	for _, urls := range []int{5, 20, 200} {
		for _, each := range []int{8, 50} {
			p, incidents := newPlay(), 0
			for i := range 10_000 {
				a := limit.Answer{Kind: limit.Good, Target: uint32(1000 + i), Section: 1}
				if i%each == each-1 {
					a = limit.Answer{Kind: limit.Busy, Target: uint32(1 + i/each%urls), Section: 2}
				}
				if p.ask(a).Incident {
					incidents++
				}
			}
			assert.LessOrEqual(t, incidents, 3, "%d URLs, each %d", urls, each)
			assert.Zero(t, p.state().Gap, "%d URLs, each %d", urls, each)
		}
	}
}

// A limit that is hit mostly in one section is obeyed, for the section is answered well, too.
func TestLimitOfOneSectionIsObeyed(t *testing.T) {
	p, rarer := newPlay(), 10.0
	for i := range 10 {
		for j := range int(rarer) {
			p.ask(limit.Answer{Kind: limit.Good, Target: uint32(100_000*i + j + 100_000), Section: pick[uint8](j == 0, 2, 1)})
		}
		rarer *= 1.3
		assert.True(t, p.ask(limit.Answer{Kind: limit.Busy, Target: uint32(10_000 + i), Section: 2}).Incident, "round %d", i)
	}
	assert.NotZero(t, p.state().Gap)
}

// If a request after a break asks for what is always refused, its answer makes the break no
// longer.
func TestProbeOfATargetThatIsRefused(t *testing.T) {
	p := newPlay()
	p.share(7, 20, 3)
	p.asks(limit.Busy, 1)
	assert.Zero(t, p.ask(limit.Answer{Kind: limit.Busy, Target: 7}))
	assert.Zero(t, p.state().Break)
	assert.True(t, p.state().Incident, "it ends nothing either")
	assert.True(t, p.asks(limit.Good, 1).Over)
}

// A target that nobody asks for any more is forgotten.
func TestOldTargetIsForgotten(t *testing.T) {
	p := newPlay()
	p.share(7, 20, 3)
	assert.False(t, p.lane.Healthy(p.now), "good answers tell of it")
	p.asks(limit.Good, 10_000)
	assert.True(t, p.lane.Healthy(p.now))
}

// When one target alone is left, its refusals count soon.
func TestLastTargetThatIsRefused(t *testing.T) {
	p := newPlay()
	p.ask(limit.Answer{Kind: limit.Busy, Target: 7})
	for i := range 20 {
		p.ask(limit.Answer{Kind: limit.Good, Target: uint32(100 + i)})
	}
	ignored := 0
	for ; ignored < 10 && !p.ask(limit.Answer{Kind: limit.Busy, Target: 7}).Incident; ignored++ {
	}
	assert.Equal(t, 5, ignored)
	for range 5 {
		assert.True(t, p.ask(limit.Answer{Kind: limit.Busy, Target: 7}).Incident)
	}
}

// A site that was silent is asked again within half of the time that it was silent.
func TestSilentSiteIsFoundSoon(t *testing.T) {
	p := newPlay()
	p.asks(limit.Good, 1)
	p.asks(limit.Silent, 1)
	from, asked := p.now, 0
	for ; p.now-from < 10*time.Minute; asked++ {
		asks := p.asks(limit.Silent, 1)
		assert.LessOrEqual(t, asks.Break, max((p.now-from)/2, 16*time.Second)*11/10)
	}
	assert.LessOrEqual(t, asked, 14)
}

package restart_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// The judge finds the violations that are planted in a log, and nothing else.
func TestJudge(t *testing.T) {
	// One life is killed at 5 s, the next is stopped at 10 s, and the last at 200 s.
	lives := []life{{end: ms(5000), killed: true, slow: ms(25)}, {end: ms(10000), slow: ms(25)}, {end: ms(200000), slow: ms(25)}}
	ask := func(life, at, answered int) visit {
		return visit{life: life, robots: true, at: ms(at), answered: ms(answered)}
	}
	failure := func(life, at, answered int) visit {
		return visit{life: life, robots: true, at: ms(at), answered: ms(answered), failed: true}
	}
	hop := func(life, at, answered int) visit {
		return visit{life: life, robots: true, hop: true, at: ms(at), answered: ms(answered)}
	}
	page := func(life, sent, at int) visit {
		return visit{life: life, begun: ms(sent - 1), sent: ms(sent), at: ms(at), answered: ms(at)}
	}
	pause := func(of visit, told int) visit {
		of.pause, of.told = ms(2000), ms(told)
		return of
	}
	connecting := page(0, 4700, 4701)
	connecting.begun = ms(4599)
	for _, c := range []struct {
		name   string
		delay  int
		visits []visit
		want   verdict // how many violations there are, at first
	}{
		{"asked once", 0, []visit{ask(0, 1000, 1001)}, verdict{asks: 1}},
		{"asked twice in a life", 0, []visit{ask(0, 4900, 4901), ask(0, 4950, 4951)}, verdict{asks: 2, violations: one}},
		{"asked again, never answered", 0, []visit{ask(0, 1000, 0), ask(1, 5010, 5011)}, verdict{asks: 2, again: 1}},
		{"never answered, asked again in the same life", 0, []visit{ask(0, 1000, 0), ask(0, 4000, 4001)}, verdict{asks: 2, violations: one}},
		{"asked again, answered in the last batch", 0, []visit{ask(0, 3901, 3901), ask(1, 5010, 5011)}, verdict{asks: 2, again: 1}},
		{"asked again, answered before it", 0, []visit{ask(0, 3899, 3899), ask(1, 5010, 5011)}, verdict{asks: 2, violations: one}},
		{"asked again after two lives", 0, []visit{ask(0, 4800, 4801), ask(2, 10010, 10011)}, verdict{asks: 2, again: 1}},
		{"asked again after a stop", 0, []visit{ask(1, 9000, 9001), ask(2, 10010, 10011)}, verdict{asks: 2, violations: one}},
		{"asked again, answered at the stop", 0, []visit{ask(1, 9950, 9951), ask(2, 10010, 10011)}, verdict{asks: 2, again: 1}},
		{"redirected", 0, []visit{ask(0, 1000, 0), hop(0, 1002, 1003)}, verdict{asks: 1}},
		{"redirected, asked again", 0, []visit{ask(0, 1000, 0), hop(0, 1002, 1003), ask(1, 5010, 0), hop(1, 5011, 5012)}, verdict{asks: 2, violations: one}},
		{"redirected, killed on the way", 0, []visit{ask(0, 1000, 0), ask(1, 5010, 0), hop(1, 5011, 5012)}, verdict{asks: 2, again: 1}},
		{"failed, asked again in time", 0, []visit{failure(0, 1000, 1001), ask(2, 50000, 50001)}, verdict{asks: 2, retried: 1}},
		{"failed, asked again too soon", 0, []visit{failure(0, 1000, 1001), ask(1, 6000, 6001)}, verdict{asks: 2, violations: one}},

		{"pages in time", 500, []visit{page(0, 1000, 1001), page(0, 1500, 1501)}, verdict{gaps: gaps{count: 1, shortest: ms(1)}}},
		{"pages without a delay", 0, []visit{page(0, 1000, 1001), page(0, 1000, 1001)}, verdict{}},
		{"a page too soon", 500, []visit{page(0, 1000, 1001), page(0, 1490, 1491)}, verdict{gaps: gaps{count: 1, shortest: ms(-9)}, violations: one}},
		{"a page too soon for the one but last", 500, []visit{page(0, 1000, 1001), page(0, 2000, 2001), page(0, 2400, 2401)}, verdict{gaps: gaps{count: 2, shortest: ms(-99)}, violations: one}},
		{"a page too soon after a restart", 500, []visit{page(0, 4900, 4901), page(1, 5390, 5391)}, verdict{
			gaps: gaps{count: 1, shortest: ms(-9)}, restarts: gaps{count: 1, shortest: ms(-9)}, violations: one,
		}},
		{"a page that was long on its way", 500, []visit{page(0, 1000, 1200), page(0, 1500, 1501)}, verdict{gaps: gaps{count: 1, excused: 1, shortest: ms(1)}}},
		{"a page that came after the next", 500, []visit{page(0, 1500, 1501), page(0, 1000, 1600)}, verdict{gaps: gaps{count: 1, excused: 1, shortest: ms(1)}}},
		{"a page that is said to be sent after it came", 500, []visit{page(0, 2000, 1001), page(0, 1400, 1401)}, verdict{gaps: gaps{count: 1, shortest: ms(-100)}, violations: one}},

		{"nothing in a break", 0, []visit{pause(page(0, 4000, 4001), 4003), page(1, 6002, 6003)}, verdict{breaks: 1, outlived: 1}},
		{"a page in a break", 0, []visit{pause(page(0, 1000, 1001), 1003), page(0, 2000, 2001)}, verdict{breaks: 1, violations: one}},
		{"a page in a break after a restart", 0, []visit{pause(page(0, 4000, 4001), 4003), page(1, 5900, 5901)}, verdict{breaks: 1, outlived: 1, violations: one}},
		{"robots.txt in a break after a restart", 0, []visit{pause(page(0, 4000, 4001), 4003), ask(1, 5900, 5901)}, verdict{asks: 1, breaks: 1, outlived: 1, violations: one}},
		{"a break of robots.txt", 0, []visit{pause(failure(0, 4000, 4001), 4003), page(1, 5900, 5901)}, verdict{asks: 1, breaks: 1, outlived: 1, violations: one}},
		{"a break that nobody knew of", 0, []visit{pause(page(0, 4990, 4991), 0), page(1, 5100, 5101)}, verdict{}},
		{"a page on its way when a break begins", 0, []visit{pause(page(0, 4600, 4601), 4603), page(0, 4602, 4610)}, verdict{breaks: 1, outlived: 1}},
		{"a page that connects when a break begins", 0, []visit{pause(page(0, 4600, 4601), 4603), connecting}, verdict{breaks: 1, outlived: 1}},
		{"… where a site asks for a delay", 50, []visit{pause(page(0, 4600, 4601), 4603), connecting}, verdict{
			breaks: 1, outlived: 1, gaps: gaps{count: 1, shortest: ms(51)}, violations: one,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := account{delays: map[string]time.Duration{"": ms(c.delay)}, visits: c.visits, lives: lives}
			got := *made.judge()
			assert.Len(t, got.violations, len(c.want.violations), "%v", got.violations)
			got.violations, c.want.violations = nil, nil
			assert.Equal(t, c.want, got)
		})
	}
}

var one = []string{"one"}

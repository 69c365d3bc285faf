package judge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const sec = time.Second

// The judge finds what is planted in a log, and nothing else. In most cases processes 0 and 1
// live on, 2 is killed at 20 s, 3 stands still from 30 to 50 s, and 4 joins at 60 s.
func TestJudge(t *testing.T) {
	lives := func() []life {
		return []life{{place: 0}, {place: 1}, {place: 2, killed: 20 * sec}, {place: 3, stops: []span{{30 * sec, 50 * sec}}}, {place: 4, born: 60 * sec}}
	}
	noticing := func(process int, at time.Duration) []life {
		all := lives()
		all[process].warned = []time.Duration{at}
		return all
	}
	hearing := func(process int, at, until time.Duration) []life {
		all := lives()
		all[process].heard = []news{{"site", at, until}}
		return all
	}
	unkept := lives()
	unkept[0].unheld = []news{{host: "site", at: 40*sec + 2*ms}}
	tenth, slots := lane{Delay: 100 * ms}, lane{Slots: 1}
	differs := lane{Delay: 100 * ms, Own: []time.Duration{0, 250 * ms}}

	page := func(process int, at time.Duration) visit {
		return visit{process: process, note: note{taken: at - 50*ms, begun: at - 2*ms, sent: at - ms}, at: at, end: at}
	}
	late := func(process int, sent, at time.Duration) visit { // it was stopped before it was written
		v := page(process, at)
		v.taken, v.sent = sent-50*ms, sent
		return v
	}
	reserved := func(taken time.Duration, v visit) visit { v.taken = taken; return v }
	due := func(until time.Duration, v visit) visit { v.until = until; return v }
	long := func(process int, at, end time.Duration) visit { v := page(process, at); v.end = end; return v }
	ask := func(process int, at, end time.Duration) visit {
		return visit{process: process, robots: true, at: at, end: end}
	}
	pause := func(v visit) visit { v.pause, v.told = 3*sec, v.end+5*ms; return v }
	loss, death, step, gone := event{span{40 * sec, 41 * sec}, forgets}, event{span{40 * sec, 41 * sec}, dies}, event{span{40 * sec, 41 * sec}, steps}, event{span{40 * sec, 45 * sec}, away}

	for _, c := range []struct {
		name   string
		lane   lane
		visits []visit
		lives  []life
		events []event
		want   verdict // how many violations there are, at first
	}{
		{name: "a gap", lane: tenth, visits: []visit{page(0, sec), page(1, sec+100*ms)}, want: verdict{gaps: 1, shortest: ms}},
		{name: "a gap too short by 5 ms", lane: tenth, visits: []visit{page(0, sec), page(1, sec+94*ms)}, want: verdict{gaps: 1, shortest: -5 * ms, violations: one}},
		{name: "a gap too short by as much as clocks may differ", lane: tenth, visits: []visit{page(0, sec), page(1, sec+98*ms)}, want: verdict{gaps: 1, shortest: -ms}},
		{name: "a gap within a process", lane: tenth, visits: []visit{page(0, sec), page(0, sec+94*ms)}, want: verdict{gaps: 1, shortest: -5 * ms, violations: one}},
		{name: "a page that says nothing", lane: tenth, visits: []visit{{at: sec}, {at: sec + 95*ms}}, want: verdict{gaps: 1, shortest: -5 * ms, violations: one}},
		{name: "the larger of two gaps", lane: differs, visits: []visit{page(0, sec), page(1, sec+250*ms), page(2, sec+500*ms)}, want: verdict{gaps: 2, shortest: ms}},
		{name: "the smaller of two gaps", lane: differs, visits: []visit{page(1, sec), page(0, sec+100*ms)}, want: verdict{gaps: 1, shortest: -149 * ms, violations: one}},
		{name: "one that was written late", lane: tenth, visits: []visit{late(0, sec, sec+50*ms), page(1, sec+101*ms)}, want: verdict{gaps: 1, shortest: ms, written: 1, behind: 50 * ms}},
		{name: "the next was written early", lane: tenth, visits: []visit{late(0, sec, sec+50*ms), page(1, sec+95*ms)}, want: verdict{gaps: 1, shortest: -5 * ms, violations: one}},
		{name: "the next is said to be sent later", lane: tenth, visits: []visit{page(0, sec), late(1, 2*sec, sec+50*ms)}, want: verdict{gaps: 1, shortest: -49 * ms, violations: one}},

		{name: "one that was stopped right after the check", lane: tenth, visits: []visit{due(sec, late(0, sec+10*ms, sec+10*ms)), page(1, sec+101*ms)}, want: verdict{gaps: 1, stopped: 1, behind: 10 * ms, shortest: time.Hour}},
		{name: "the next is too early for when it should have been sent", lane: tenth, visits: []visit{due(sec, late(0, sec+10*ms, sec+10*ms)), page(1, sec+95*ms)}, want: verdict{gaps: 1, shortest: -15 * ms, violations: one}},
		{name: "one that was not checked, again and again", lane: tenth, visits: []visit{due(sec, page(0, sec+11*ms)), due(sec+100*ms, page(1, sec+105*ms)), page(1, sec+201*ms)}, want: verdict{gaps: 2, stopped: 1, behind: 11 * ms, shortest: -3 * ms, violations: one}},
		{name: "early after a loss, reserved before", lane: tenth, events: []event{loss}, visits: []visit{page(0, 40*sec+20*ms), reserved(39*sec, page(1, 40*sec+50*ms))}, want: verdict{gaps: 1, early: 1, shortest: time.Hour}},
		{name: "early after a loss that nobody has noticed yet", lane: tenth, events: []event{loss}, lives: noticing(1, 42*sec), visits: []visit{page(0, 41*sec), page(1, 41*sec+50*ms)}, want: verdict{gaps: 1, early: 1, shortest: time.Hour}},
		{name: "early after a loss was noticed", lane: tenth, events: []event{loss}, lives: noticing(1, 40*sec+10*ms), visits: []visit{page(0, 40*sec-10*ms), page(1, 40*sec+70*ms)}, want: verdict{gaps: 1, shortest: -19 * ms, violations: one}},
		{name: "early after the engine died, reserved before", lane: tenth, events: []event{death}, visits: []visit{page(0, 40*sec+20*ms), reserved(39*sec, page(1, 40*sec+50*ms))}, want: verdict{gaps: 1, early: 1, shortest: time.Hour}},
		{name: "early after the engine died, reserved after", lane: tenth, events: []event{death}, visits: []visit{page(0, 40*sec+60*ms), page(1, 40*sec+110*ms)}, want: verdict{gaps: 1, shortest: -49 * ms, violations: one}},
		{name: "early when the clock is set, reserved before", lane: tenth, events: []event{step}, visits: []visit{page(0, 40*sec-10*ms), page(1, 40*sec+50*ms)}, want: verdict{gaps: 1, early: 1, shortest: time.Hour}},
		{name: "early after the clock was set, reserved after", lane: tenth, events: []event{step}, visits: []visit{page(0, 42*sec), page(1, 42*sec+50*ms)}, want: verdict{gaps: 1, shortest: -49 * ms, violations: one}},
		{name: "early while the engine is away", lane: tenth, events: []event{gone}, visits: []visit{page(0, 42*sec), page(1, 42*sec+50*ms)}, want: verdict{gaps: 1, shortest: -49 * ms, violations: one}},

		{name: "one after the other", lane: slots, visits: []visit{long(0, sec, 2*sec), long(1, 2*sec, 3*sec)}, want: verdict{most: map[string]int{"site": 1}}},
		{name: "two at the same time, for 5 ms", lane: slots, visits: []visit{long(0, sec, 2*sec+5*ms), long(1, 2*sec, 3*sec)}, want: verdict{most: map[string]int{"site": 2}, violations: one}},
		{name: "two at the same time, and one does not end", lane: slots, visits: []visit{long(0, sec, 0), long(1, 20*sec, 21*sec)}, want: verdict{most: map[string]int{"site": 2}, violations: one}},
		{name: "two while one stands still beyond its lease", lane: slots, visits: []visit{long(3, 29*sec, 50*sec), long(1, 40*sec, 41*sec)}, want: verdict{most: map[string]int{"site": 2}, expired: 1}},
		{name: "two before its lease is over", lane: slots, visits: []visit{long(3, 29*sec, 50*sec), long(1, 35*sec, 36*sec)}, want: verdict{most: map[string]int{"site": 2}, violations: one}},
		{name: "three while one stands still", lane: slots, visits: []visit{long(3, 29*sec, 50*sec), long(0, 40*sec, 42*sec), long(1, 41*sec, 43*sec)}, want: verdict{most: map[string]int{"site": 3}, expired: 1, violations: one}},
		{name: "two after a loss that nobody has noticed yet", lane: slots, events: []event{loss}, visits: []visit{long(0, 39*sec, 43*sec), long(1, 41*sec, 42*sec)}, want: verdict{most: map[string]int{"site": 2}, freed: 1}},
		{name: "two after a loss was noticed", lane: slots, events: []event{loss}, lives: noticing(1, 40*sec+10*ms), visits: []visit{long(0, 39*sec, 43*sec), long(1, 41*sec, 42*sec)}, want: verdict{most: map[string]int{"site": 2}, violations: one}},

		{name: "nothing in a break", visits: []visit{pause(page(0, 40*sec)), page(1, 43*sec+ms)}, want: verdict{breaks: 1}},
		{name: "a page of the process that was told", visits: []visit{pause(page(0, 40*sec)), page(0, 40*sec+50*ms)}, want: verdict{breaks: 1, violations: one}},
		{name: "a page on its way", visits: []visit{pause(page(0, 40*sec)), page(1, 40*sec+5*ms)}, want: verdict{breaks: 1}},
		{name: "a page of a process that has not heard", visits: []visit{pause(page(0, 40*sec)), page(1, 40*sec+50*ms)}, want: verdict{breaks: 1, onWay: 1, message: 43 * ms}},
		{name: "a page of a process that has heard", lives: hearing(1, 40*sec+20*ms, 43*sec), visits: []visit{pause(page(0, 40*sec)), page(1, 40*sec+50*ms)}, want: verdict{breaks: 1, violations: one}},
		{name: "a page of a process that has heard of another break", lives: hearing(1, 40*sec-sec, 42*sec), visits: []visit{pause(page(0, 40*sec)), page(1, 40*sec+50*ms)}, want: verdict{breaks: 1, onWay: 1, message: 43 * ms}},
		{name: "a page of a process that should not trust its ears", visits: []visit{func() visit { v := pause(page(0, 40*sec)); v.pause = 9 * sec; return v }(), page(1, 45*sec)}, want: verdict{breaks: 1, violations: one}},
		{name: "a page of a process that joins in a break", visits: []visit{func() visit { v := pause(page(0, 59*sec)); v.pause = 9 * sec; return v }(), page(4, 60*sec+100*ms)}, want: verdict{breaks: 1, violations: one}},
		{name: "robots.txt that connects when a break begins", visits: []visit{pause(page(0, 40*sec)), func() visit { v := ask(0, 40*sec+50*ms, 41*sec); v.begun = 40 * sec; return v }()}, want: verdict{breaks: 1, asks: 1}},
		{name: "robots.txt in a break", visits: []visit{pause(page(0, 40*sec)), ask(0, 41*sec, 41*sec)}, want: verdict{breaks: 1, asks: 1, violations: one}},
		{name: "a page in a break that the engine did not keep", lives: unkept, visits: []visit{pause(page(0, 40*sec)), page(1, 42*sec)}, want: verdict{breaks: 1, unknown: 1}},
		{name: "a page in a break that the engine lost", events: []event{loss}, visits: []visit{pause(page(0, 39*sec)), page(1, 41*sec)}, want: verdict{breaks: 1, unknown: 1}},

		{name: "asked once", visits: []visit{ask(0, sec, 2*sec)}, want: verdict{asks: 1}},
		{name: "asked twice", visits: []visit{ask(0, sec, 2*sec), ask(1, 3*sec, 4*sec)}, want: verdict{asks: 2, violations: one}},
		{name: "asked by two", visits: []visit{ask(0, sec, 2*sec), ask(1, sec+ms, 2*sec)}, want: verdict{asks: 2, violations: one}},
		{name: "asked after the holder was killed", visits: []visit{ask(2, 19*sec+900*ms, 20*sec), ask(1, 31*sec, 32*sec)}, want: verdict{asks: 2, holders: 1}},
		{name: "asked twice after the holder was killed", visits: []visit{ask(2, 19*sec+900*ms, 20*sec), ask(1, 31*sec, 32*sec), ask(0, 33*sec, 34*sec)}, want: verdict{asks: 3, holders: 1, violations: one}},
		{name: "asked after a kill, long after the answer", visits: []visit{ask(2, 10*sec, 11*sec), ask(1, 31*sec, 32*sec)}, want: verdict{asks: 2, violations: one}},
		{name: "asked while the holder stands still", visits: []visit{ask(3, 29*sec, 50*sec), ask(1, 42*sec, 43*sec)}, want: verdict{asks: 2, holders: 1}},
		{name: "asked while the holder's claim lasts", visits: []visit{ask(3, 29*sec, 50*sec), ask(1, 35*sec, 36*sec)}, want: verdict{asks: 2, violations: one}},
		{name: "asked while the engine is away", events: []event{gone}, visits: []visit{ask(0, 41*sec, 42*sec), ask(1, 42*sec, 43*sec)}, want: verdict{asks: 2, alone: 1}},
		{name: "asked twice by one while the engine is away", events: []event{gone}, visits: []visit{ask(0, 41*sec, 42*sec), ask(0, 43*sec, 44*sec)}, want: verdict{asks: 2, violations: one}},
		{name: "asked by one in each of two outages", events: []event{gone, {span{60 * sec, 65 * sec}, away}}, visits: []visit{ask(0, sec, 2*sec), ask(1, 42*sec, 43*sec), ask(1, 62*sec, 63*sec)}, want: verdict{asks: 3, alone: 2}},
		{name: "asked long after the engine was away", events: []event{gone}, visits: []visit{ask(0, 51*sec, 52*sec), ask(1, 55*sec, 56*sec)}, want: verdict{asks: 2, violations: one}},
		{name: "asked after the holder stood still, before it asked", visits: []visit{ask(3, 51*sec, 52*sec), ask(1, 55*sec, 56*sec)}, want: verdict{asks: 2, violations: one}},
		{name: "asked when the answer is out of date", visits: []visit{ask(0, sec, 2*sec), ask(1, 300*sec, 301*sec)}, want: verdict{asks: 2, renewed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range c.visits {
				c.visits[i].host = "site"
			}
			c.lane.Host = "site"
			if c.lives == nil {
				c.lives = lives()
			}
			made := account{lanes: map[string]*lane{"site": &c.lane}, visits: c.visits, lives: c.lives, events: c.events}
			got := *made.judge()
			assert.Len(t, got.violations, len(c.want.violations), "%v", got.violations)
			if got.gaps == 0 {
				got.shortest = 0
			}
			if c.want.most == nil {
				c.want.most = map[string]int{}
			}
			got.violations, c.want.violations = nil, nil
			assert.Equal(t, c.want, got)
		})
	}
}

var one = []string{"one"}

package main

import (
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// telling is how long it takes until the others of a fleet have heard.
const telling = 5 * time.Millisecond

// A fleet has processes that take turns with each other, as the store has them do: no two
// requests are closer than the larger gap of both, and after a bad answer one goes alone.
type fleet struct {
	members []*member
	last    time.Duration // when the last request of all began
	gap     time.Duration // that it asks for
	probes  int           // under way
	begun   int           // requests
}

// A member is a process of a fleet, and what it will have heard.
type member struct {
	ours
	fleet  *fleet
	number uint32  // in the fleet, from 1
	last   int     // the number of its last request, of all
	all    float32 // requests of all for one of its own
	heard  []news
	probes map[time.Duration]bool // by their begin
}

// newFleet returns the controllers of a fleet.
func newFleet(size int) []*process {
	f := &fleet{}
	var all []*process
	for i := range size {
		m := &member{fleet: f, number: uint32(i + 1), probes: make(map[time.Duration]bool)}
		f.members = append(f.members, m)
		all = append(all, &process{controller: m})
	}
	return all
}

// listen takes in what has come.
func (m *member) listen(now time.Duration) {
	for len(m.heard) > 0 && m.heard[0].at <= now {
		n := m.heard[0]
		m.heard = m.heard[1:]
		n.lesson.Break -= min(n.lesson.Break, now-n.at+telling)
		if m.lane.Learn(now, n.lesson); m.lane.Adds() {
			m.tell(now)
		}
	}
}

func (m *member) room(now time.Duration) bool {
	m.listen(now)
	return m.ours.room(now) && (m.fleet.probes == 0 || !m.lane.State(now).Incident)
}

func (m *member) next(now time.Duration) time.Duration {
	f := m.fleet
	return max(m.ours.next(now), f.last+max(f.gap, m.lane.Gap(now)))
}

func (m *member) begin(now time.Duration) {
	if m.lane.Begin(now) {
		m.probes[now] = true
		m.fleet.probes++
	}
	m.fleet.last, m.fleet.gap = now, m.lane.Gap(now)
	m.fleet.begun++
	m.all += (float32(m.fleet.begun-m.last) - m.all) / 4
	m.last = m.fleet.begun
	m.lane.Share(m.all)
}

func (m *member) end(a answer) {
	if m.probes[a.begun] {
		delete(m.probes, a.begun)
		m.fleet.probes--
	}
	m.listen(a.now)
	asks := m.lane.End(learned(a))
	if !asks.Incident && !asks.Over && asks.Break == 0 {
		return
	}
	m.tell(a.now)
}

// tell lets the others hear what m has learned.
func (m *member) tell(now time.Duration) {
	n := news{at: now + telling, lesson: m.lane.Lesson(now)}
	n.lesson.Teller = m.number
	m.lane.Told()
	for _, other := range m.fleet.members {
		if other != m {
			other.heard = append(other.heard, n)
		}
	}
}

type news struct {
	at     time.Duration
	lesson limit.Lesson
}

package judge_test

import "time"

// A lane is a host, and how the processes visit it.
type lane struct {
	Host    string
	Delay   time.Duration   // the crawl-delay that the host asks for
	Own     []time.Duration // the gaps that processes keep of their own accord, by place
	Slots   int             // that the processes keep
	Workers int             // of each process
	Rest    time.Duration   // of a worker between two visits, at most
	Dial    time.Duration   // what a connection takes, at most
	Body    time.Duration   // what a body takes, at most
	Linger  time.Duration   // after which the host closes an idle connection; zero: late
	Breaks  int             // one of so many answers asks for a break; zero: none
	Late    bool            // the visits begin when the process hears the others
	Alone   bool            // connections are not used again
}

// gap returns the gap that the process at a place keeps.
func (l *lane) gap(place int) time.Duration {
	if len(l.Own) == 0 {
		return l.Delay
	}
	return max(l.Delay, l.Own[place%len(l.Own)])
}

const ms = time.Millisecond

// all are the lanes of a run.
func all() []lane {
	return []lane{
		{Host: "tenth.test", Delay: 100 * ms, Workers: 1},
		{Host: "second.test", Delay: time.Second, Workers: 1},
		{Host: "three.test", Slots: 3, Workers: 2, Body: 400 * ms},
		{Host: "one.test", Slots: 1, Workers: 1, Body: 200 * ms},
		{Host: "free.test", Workers: 2, Rest: 250 * ms, Breaks: 300, Dial: 300 * ms, Late: true},
		{Host: "tired.test", Delay: 100 * ms, Workers: 1, Breaks: 100},
		{Host: "idle.test", Delay: 100 * ms, Workers: 1, Rest: 4 * time.Second},
		{Host: "differs.test", Delay: 100 * ms, Own: []time.Duration{0, 250 * ms, 0, 500 * ms}, Workers: 1},
		{Host: "short.test", Delay: 500 * ms, Workers: 1, Linger: 200 * ms},
		{Host: "far.test", Delay: 100 * ms, Workers: 1, Dial: 300 * ms, Alone: true},
		{Host: "both.test", Delay: 200 * ms, Slots: 2, Workers: 1, Body: 300 * ms},
	}
}

const (
	newEvery  = 2 * time.Second // between two hosts that nobody has visited before
	timeout   = 2 * time.Second // for a robots.txt
	claimFor  = timeout + 10*time.Second
	slotLease = 10 * time.Second
	renewed   = slotLease / 4 // how old a lease is before it is renewed
	lifetime  = 5 * time.Minute
	dueAfter  = lifetime / 2 // when a crawler may ask again, at the earliest
)

package main

import "time"

// An event is something that happens at a time: a request arrives at the site, an answer
// at the client, or who waits wakes up.
type event struct {
	at     time.Duration
	what   what
	answer *answer // nil if it is an alarm
}

type what int

const (
	alarms what = iota
	arrives
	returns
)

// events is a heap. The next event is the first.
type events []event

func (e *events) push(added event) {
	all := append(*e, added)
	i := len(all) - 1
	for i > 0 && all[i].at < all[(i-1)/2].at {
		all[i], all[(i-1)/2] = all[(i-1)/2], all[i]
		i = (i - 1) / 2
	}
	*e = all
}

func (e *events) pop() event {
	all := *e
	first, last := all[0], len(all)-1
	all[0] = all[last]
	all = all[:last]
	for i := 0; ; {
		next := 2*i + 1
		if next+1 < last && all[next+1].at < all[next].at {
			next++
		}
		if next >= last || all[i].at <= all[next].at {
			break
		}
		all[i], all[next] = all[next], all[i]
		i = next
	}
	*e = all
	return first
}

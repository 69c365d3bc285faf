package manners

import (
	"cmp"
	"slices"
	"time"
)

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

// events are in order: the last one is the next.
type events []event

func (e *events) push(added event) {
	i, _ := slices.BinarySearchFunc(*e, added, func(a, b event) int { return cmp.Compare(b.at, a.at) })
	*e = slices.Insert(*e, i, added)
}

func (e *events) pop() event {
	last := len(*e) - 1
	next := (*e)[last]
	*e = (*e)[:last]
	return next
}

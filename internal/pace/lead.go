package pace

import (
	"sync"
	"time"
)

// A lead is how long before its start a request goes to the transport, which may have to
// connect: as long as this took of late, and a quarter more. It goes by the longest of the
// last times, since a start that is missed is lost. While it knows few, it doubles it.
type lead struct {
	mu     sync.Mutex
	recent [leadTimes]time.Duration
	count  int
}

const (
	leadTimes = 16
	fewTimes  = 4
	mostLead  = 8 * time.Second

	// firstLead is the lead while nothing is known.
	firstLead = 250 * time.Millisecond
)

// learn notes how long a request took to connect.
func (l *lead) learn(took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recent[l.count%leadTimes] = took
	l.count++
}

// now returns the lead, what it would be if connecting took as long as it usually does, and
// how many requests it has learnt from. l may be nil.
func (l *lead) now() (long, usual time.Duration, known int) {
	if l == nil {
		return firstLead, firstLead, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == 0 {
		return firstLead, firstLead, 0
	}
	for _, took := range l.recent {
		long = max(long, took)
		usual += took / time.Duration(min(l.count, leadTimes))
	}
	if l.count < fewTimes {
		long *= 2
	}
	return min(long+long/4, mostLead), min(usual+usual/4, mostLead), l.count
}

package turns

import (
	"time"

	"github.com/go-polite/polite/internal/pace"
)

// Shared reports whether the turns are shared.
func (l *Lanes) Shared() bool { return l.turns != nil }

// Join says how a Transport is configured, and who is told what concerns no single request.
// If several join, the last one is told that has an observer.
func (l *Lanes) Join(settings []Setting, o *Observer) {
	l.peers.join(settings)
	if o != nil && l.turns != nil {
		l.health.observe(*o)
	}
}

// differs reports whether another process is configured differently now.
func (l *Lanes) differs() bool {
	until := l.peers.until.Load()
	return until != 0 && time.Now().UnixNano() < until
}

// mixed reports whether the Transports of the lanes keep different gaps or limits. Then a request
// that asks for nothing passes the gate, too: others count from its write.
func (l *Lanes) mixed() bool { return l.peers.mixed.Load() }

// Differences returns how others are configured differently now.
func (l *Lanes) Differences() []Difference {
	if !l.differs() {
		return nil
	}
	return l.peers.differences()
}

// heed lets a request take a turn in any case where others may keep a gap of which this process does
// not hear.
func (l *Lanes) heed(terms *pace.Terms) {
	if terms.Reserved && (l.differs() || !l.watch.hears()) {
		terms.Gap = max(terms.Gap, leastGap)
	}
}

// leastGap is that of a request that asks for none. Turns keeps the gaps of others before it and
// after it.
const leastGap = time.Microsecond

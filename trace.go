package polite

import (
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
)

// A Trace is told what a Transport does. Functions that are nil are not called. polite
// calls the others from several goroutines at the same time, and waits for them.
type Trace struct {
	// RulesChanged is called when another robots.txt takes the place of the one that
	// was known. It is not called if the new one is the same octet by octet, for an
	// origin that was not known, or if an origin cannot be reached. If there is a Store,
	// what it has is known.
	RulesChanged func(RulesChange)
}

// A RulesChange tells that the rules of an origin have changed.
type RulesChange struct {
	Origin string       // scheme, host and port: "https://example.com"
	Before *robots.File // nil if the origin had no robots.txt
	After  *robots.File // nil if it has none now
}

// change calls RulesChanged if now is something else than last.
func (t *Trace) change(o origin.Origin, last, now *entry) {
	if t.RulesChanged == nil || last == nil || last.Status == 0 || now.Status == 0 || sameFile(last.file, now.file) {
		return
	}
	t.RulesChanged(RulesChange{Origin: o.String(), Before: last.file.parsed(), After: now.file.parsed()})
}

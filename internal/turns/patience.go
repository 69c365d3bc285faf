package turns

import "time"

// LongestWait returns how long a request waits at most. Zero is until its context ends.
func (p *Pace) LongestWait() time.Duration { return max(p.Terms.MaxWait, 0) }

// LimitWait sets the longest wait. If it is negative, there is none.
func (p *Pace) LimitWait(most time.Duration) { p.Terms.MaxWait = most }

// Waited takes a wait from the longest wait, if there is one.
func (p *Pace) Waited(wait time.Duration) {
	if p.Terms.MaxWait > 0 {
		p.Terms.MaxWait = max(p.Terms.MaxWait-wait, 1)
	}
}

// LongestQueue returns how many requests may wait.
func (p *Pace) LongestQueue() int { return max(p.Terms.MaxQueue, 0) }

// ComeBack returns when a request that is refused before its rules are known should come
// back, if it could do so at turn. So not all come back at the same time.
func (t *Taker) ComeBack(to *Site, turn time.Time) time.Time {
	defer t.Memory.Trim()
	above := t.Lanes.upper(to, nil, t.Hooks.Called)
	return t.Lanes.local.Promise(to.Lane, to.Pace.Terms, above.later(turn))
}

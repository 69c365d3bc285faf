package limit

import "math"

const (
	// enoughOwn is how many good answers of others lie between the refusals of a target that is
	// refused for a reason of its own.
	enoughOwn = 8

	// mostOwn bounds what good answers of others say for a target. A refusal halves it, so
	// after six in a row, the next counts as the site's again.
	mostOwn = 32

	// longestOwn is after how many good answers of others a target is forgotten, since
	// nobody asks for it any more.
	longestOwn = 10_000
)

// own remembers the last targets that were refused with 429 or 503. If others are answered
// and one of these never is, then its refusals are no limit of the site, and the incidents that
// it began taught nothing.
type own struct {
	suspects  [4]suspect
	next      uint8
	incidents uint8 // that taught the rate
}

// A suspect is a target that was refused, and not answered well since.
type suspect struct {
	target    uint32 // 0: there is none
	others    uint16 // good answers of others since it was refused, and what is left of those before
	incidents uint8  // that its refusals began, and that taught the rate
	isOwn     bool   // the reason is its own
}

// good notes a good answer.
func (o *own) good(target uint32) {
	for i := range o.suspects {
		s := &o.suspects[i]
		if s.target == 0 {
			continue
		}
		if s.others++; s.target == target || s.others >= longestOwn {
			*s = suspect{}
		}
	}
}

// refused notes a refusal. It reports whether the reason is the target's own, and whether
// that is now true of all that taught the rate. A target of 0 is not known.
func (o *own) refused(target uint32) (isOwn, allOwn bool) {
	s := o.find(target)
	if s != nil && s.refused() {
		allOwn = s.incidents > 0 && s.incidents == o.incidents
		o.incidents -= s.incidents
		s.incidents = 0
		return true, allOwn
	}
	for i := range o.suspects {
		if other := &o.suspects[i]; other != s {
			other.halve()
		}
	}
	if s == nil && target != 0 {
		o.suspects[o.next] = suspect{target: target}
		o.next = (o.next + 1) % uint8(len(o.suspects))
	}
	return false, false
}

// refused notes a refusal. It reports whether the reason is the target's own.
func (s *suspect) refused() bool {
	s.isOwn = s.others > 0 && (s.isOwn || s.others >= enoughOwn)
	if s.isOwn {
		s.halve()
	}
	return s.isOwn
}

func (s *suspect) halve() { s.others = min(s.others, mostOwn) / 2 }

// began notes an incident that teaches the rate. The target is the one whose refusal began it;
// 0: another answer began it. first says that nothing was known of the rate before.
func (o *own) began(target uint32, first bool) {
	if first {
		o.incidents = 0
		for i := range o.suspects {
			o.suspects[i].incidents = 0
		}
	}
	if o.incidents == math.MaxUint8 {
		return // it is not taken back any more
	}
	o.incidents++
	if s := o.find(target); s != nil {
		s.incidents++
	}
}

func (o *own) isEmpty() bool { return o.suspects == [4]suspect{} }

func (o *own) find(target uint32) *suspect {
	for i := range o.suspects {
		if s := &o.suspects[i]; target != 0 && s.target == target {
			return s
		}
	}
	return nil
}

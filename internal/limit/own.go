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

// blamed is what may be refused for a reason of its own: a section, or a target. A number of 0 is not
// known.
type blamed struct{ section, target uint32 }

// own finds the sections and the targets that are refused for a reason of their own.
type own struct{ sections, targets suspects }

// good notes a good answer.
func (o *own) good(to blamed) {
	o.sections.good(to.section)
	o.targets.good(to.target)
}

// refused notes a refusal. It reports whether the reason is the section's own, or the target's, and
// whether that is now true of all that taught the rate.
func (o *own) refused(of blamed) (isOwn, allOwn bool) {
	if isOwn, allOwn = o.sections.refused(of.section); isOwn {
		return isOwn, allOwn
	}
	return o.targets.refused(of.target)
}

// began notes an incident that teaches the rate. by is whose refusal began it, and empty if another
// answer did. first says that nothing was known of the rate before.
func (o *own) began(by blamed, first bool) {
	o.sections.began(by.section, first)
	o.targets.began(by.target, first)
}

func (o *own) isEmpty() bool { return o.sections.isEmpty() && o.targets.isEmpty() }

// suspects are the last ones that were refused with 429 or 503: targets, or sections that were never
// good. If others are answered and one of these never is, then its refusals are no limit of the
// site, and the incidents that it began taught nothing.
type suspects struct {
	last      [4]suspect
	next      uint8
	incidents uint8 // that taught the rate
}

// A suspect is a target, or a section, that was refused, and not answered well since.
type suspect struct {
	target    uint32 // 0: there is none
	others    uint16 // good answers of others since it was refused, and what is left of those before
	incidents uint8  // that its refusals began, and that taught the rate
	isOwn     bool   // the reason is its own
}

// good notes a good answer.
func (o *suspects) good(target uint32) {
	for i := range o.last {
		s := &o.last[i]
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
func (o *suspects) refused(target uint32) (isOwn, allOwn bool) {
	s := o.find(target)
	if s != nil && s.refused() {
		allOwn = s.incidents > 0 && s.incidents == o.incidents
		o.incidents -= s.incidents
		s.incidents = 0
		return true, allOwn
	}
	for i := range o.last {
		if other := &o.last[i]; other != s {
			other.halve()
		}
	}
	if s == nil && target != 0 {
		o.last[o.next] = suspect{target: target}
		o.next = (o.next + 1) % uint8(len(o.last))
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
func (o *suspects) began(target uint32, first bool) {
	if first {
		o.incidents = 0
		for i := range o.last {
			o.last[i].incidents = 0
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

func (o *suspects) isEmpty() bool { return o.last == [4]suspect{} }

func (o *suspects) find(target uint32) *suspect {
	for i := range o.last {
		if s := &o.last[i]; target != 0 && s.target == target {
			return s
		}
	}
	return nil
}

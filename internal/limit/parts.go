package limit

import (
	"math"
	"math/bits"
)

// A row counts bad answers that come without a good one between them: 500, 403 and errors, and where some
// refusals come by chance, these, too. They count in sections that were good before: a section that is
// broken, or forbidden, says little of the others.
type row struct {
	good    uint64  // the sections that were good
	badPart float32 // of bad answers, before this row
	seen    uint8   // answers of which share is the part, up to remembered
	length  uint8
	first   uint8 // the section in which the row began
	spread  bool  // it has met another section, too
	silent  uint8 // timeouts in a row

	strange       uint8 // bad answers of sections that were never good, since a good answer
	strangeFirst  uint8 // the section of the first of them
	strangeSpread bool  // others have followed of another such section
}

func bit(section uint8) uint64 { return 1 << (section % 64) }

// noteGood notes a good answer.
func (r *row) noteGood(section uint8) {
	r.good |= bit(section)
	for range r.length {
		r.badPart += (1 - r.badPart) / r.weigh()
	}
	r.badPart -= r.badPart / r.weigh()
	r.length, r.spread, r.strange, r.strangeSpread = 0, false, 0, false
}

// weigh counts an answer, and returns of how many answers it is one: share is learned soon, and forgotten slowly.
func (r *row) weigh() float32 {
	r.seen = min(r.seen+1, remembered)
	return assumed + float32(r.seen)
}

// resume takes back that a good answer has ended a row. Refusals that have come since belong to it.
func (r *row) resume(before row) {
	if before == (row{}) {
		return
	}
	r.badPart = min(r.badPart, before.badPart)
	switch {
	case before.length == 0:
	case r.length == 0:
		r.first, r.spread = before.first, before.spread
	default:
		r.spread = r.spread || before.spread || bit(r.first) != bit(before.first)
	}
	switch {
	case before.strange == 0:
	case r.strange == 0:
		r.strangeFirst, r.strangeSpread = before.strangeFirst, before.strangeSpread
	default:
		r.strangeSpread = r.strangeSpread || before.strangeSpread || bit(r.strangeFirst) != bit(before.strangeFirst)
	}
	r.length, r.strange = max(r.length, before.length), max(r.strange, before.strange)
}

// isWell reports whether no bad answer has come since the last good one, and few came before: else each
// good answer counts.
func (r *row) isWell() bool {
	return r.length == 0 && r.strange == 0 && r.silent == 0 && r.badPart < fewBad
}

// counts reports whether a refusal in a section says something of the site: a section that was never good
// is left out where another was.
func (r *row) counts(section uint8) bool { return r.good == 0 || r.good&bit(section) != 0 }

// add notes a refusal in a section that counts. It reports whether the row is too long to be chance. Of
// the requests under way, as many may be bad as usual, and a refusal comes sooner than a page.
func (r *row) add(section uint8, under uint16) bool {
	if r.length == 0 {
		r.first = section
	}
	r.spread = r.spread || bit(section) != bit(r.first)
	if r.length < math.MaxUint8 {
		r.length++
	}
	return r.length >= r.enough(under)
}

// addStrange notes a refusal in a section that was never good. It reports whether there were so many without a
// good answer that the site itself has trouble. A section may be closed to all who crawl it, so only one that is
// broken says something by itself, and not soon.
func (r *row) addStrange(section uint8, under uint16, broken bool) bool {
	if r.strange == 0 {
		r.strangeFirst = section
	}
	r.strangeSpread = r.strangeSpread || bit(section) != bit(r.strangeFirst)
	if r.strange < math.MaxUint8 {
		r.strange++
	}
	enough := r.usual(under)
	if !r.strangeSpread {
		enough *= wholeRow
	}
	return (broken || r.strangeSpread) && float64(r.strange)+float64(r.length) >= enough
}

// alone reports whether the row has met one section of several.
func (r *row) alone() bool { return !r.spread && bits.OnesCount64(r.good) > 1 }

func (r *row) enough(under uint16) uint8 {
	enough := r.usual(under)
	if r.alone() {
		enough *= wholeRow
	}
	return uint8(min(enough, 200))
}

// usual returns how long a row is at least that is no chance.
func (r *row) usual(under uint16) float64 {
	enough := float64(rowLength)
	if share := min(r.badPart, mostBad); share > 0 {
		enough = max(enough, math.Ceil(oddity/math.Log(float64(share)))+float64(share)*float64(under))
	}
	return enough
}

// A machine counts the refusals of many sites that share a lane. A site that is refused for a limit of its own
// finds it, and is then hardly refused any more. If several sites are refused again and again, the machine
// behind them refuses. A nil machine has refused nothing.
type machine struct {
	well    uint64 // sites that have answered well since they were refused, as bits
	sites   uint64 // that were refused after a good answer
	refused uint16 // such refusals
	good    uint16 // answers of any site meanwhile
}

// noteGood notes a good answer of a site.
func (m *machine) noteGood(site uint8) {
	if m != nil {
		m.well |= bit(site)
		m.good = min(m.good, math.MaxUint16-1) + 1
	}
}

// noteRefusal notes a refusal of a site, and reports whether it is that of the machine. known says that the
// rate of the machine is known.
func (m *machine) noteRefusal(site uint8, known bool) bool {
	if known && m.good > knownRound || !known && m.good > goodPerRefusal*m.refused+firstRound {
		*m = machine{well: m.well}
	}
	if m.well&bit(site) == 0 { // it may be down
		return false
	}
	m.well &^= bit(site)
	m.sites |= bit(site)
	m.refused = min(m.refused, math.MaxUint16/goodPerRefusal-firstRound-1) + 1
	sites := uint16(bits.OnesCount64(m.sites))
	return known && sites >= 2 || sites >= fewestSites && m.refused >= refusalsPerSite*sites
}

// A fading says how long the good answers of others count for a suspect: at most so many, and a refusal
// leaves a part of them.
type fading struct {
	most  float32
	keeps float32
}

// After six refusals of a target in a row, the next one counts as a refusal of the site again. For a
// section this takes a hundred: pages of other sections are on their way meanwhile, and a crawler that
// repeats refused requests asks for little else.
var ofTarget, ofSection = fading{32, 0.5}, fading{128, 0.97}

// suspects are the targets, or the sections that were never good, which were last refused with 429 or
// 503. If others are answered well and a suspect never is, then its refusals are no limit of the site,
// and the incidents that it began taught nothing.
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

// noteGood notes a good answer.
func (o *suspects) noteGood(target uint32) {
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

// refused notes a refusal. It reports whether the reason is the target's own, and whether this is now
// true of all refusals that taught the rate. A target of 0 is not known.
func (o *suspects) refused(target uint32, by fading) (isOwn, allOwn bool) {
	s := o.find(target)
	if s != nil {
		s.isOwn = s.others > 0 && (s.isOwn || s.others >= enoughOwn)
	}
	if s != nil && s.isOwn {
		s.fade(by)
		allOwn = s.incidents > 0 && s.incidents == o.incidents
		o.incidents -= s.incidents
		s.incidents = 0
		return true, allOwn
	}
	for i := range o.last {
		if other := &o.last[i]; other != s {
			other.fade(by)
		}
	}
	if s == nil && target != 0 {
		o.last[o.next] = suspect{target: target}
		o.next = (o.next + 1) % uint8(len(o.last))
	}
	return false, false
}

func (s *suspect) fade(by fading) { s.others = uint16(by.keeps * min(float32(s.others), by.most)) }

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

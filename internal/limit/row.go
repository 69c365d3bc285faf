package limit

import (
	"math"
	"math/bits"
	"time"
)

const (
	// rowLength is how many refusals in a row are more than chance where few are usual.
	rowLength = 5

	// oddity is how rare a row is that is no chance: once in a million, as a logarithm.
	oddity = -13.8

	// wholeRow is how much longer a row has to be that has met one section of several.
	wholeRow = 4

	// silentRow is how many timeouts in a row say something, whatever else is answered.
	silentRow = 3

	// longestAlone is the longest break if one section of several is bad.
	longestAlone = time.Second
)

// A row counts the answers 500, 502, 504 and 403 that come without a good one between
// them. They count only in sections that were good before: a section that is broken, or
// forbidden, says nothing of the others.
type row struct {
	good   uint64  // the sections that were good
	share  float32 // of bad answers, before this row
	length uint8
	first  uint8 // the section in which the row began
	spread bool  // it has met another section, too
	silent uint8 // timeouts in a row
}

func bit(section uint8) uint64 { return 1 << (section % 64) }

// end notes a good answer.
func (r *row) end(section uint8) {
	r.good |= bit(section)
	const keeps = 31.0 / 32
	if r.length > 0 {
		r.share = 1 - (1-r.share)*float32(math.Pow(keeps, float64(r.length)))
	}
	r.share *= keeps
	r.length, r.spread = 0, false
}

// isWell reports whether no bad answer has come since the last good one.
func (r *row) isWell() bool { return r.length == 0 && r.silent == 0 }

// counts reports whether a refusal in a section says something of the site.
func (r *row) counts(section uint8) bool { return r.good&bit(section) != 0 }

// add notes a refusal in a section that counts. It reports whether the row is too long to be
// chance.
func (r *row) add(section uint8) bool {
	if r.length == 0 {
		r.first = section
	}
	r.spread = r.spread || bit(section) != bit(r.first)
	if r.length < math.MaxUint8 {
		r.length++
	}
	return r.length >= r.enough()
}

// alone reports whether the row has met one section of several.
func (r *row) alone() bool { return !r.spread && bits.OnesCount64(r.good) > 1 }

func (r *row) enough() uint8 {
	enough := float64(rowLength)
	if r.share > 0 {
		enough = max(enough, math.Ceil(oddity/math.Log(float64(r.share))))
	}
	if r.alone() {
		enough *= wholeRow
	}
	return uint8(min(enough, 200))
}

package usage

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/go-polite/polite/robots"
)

// A Reading keeps what each line of a robots.txt says about the uses that this package
// knows. Questions about a long file take less time with it: no line is read twice. The
// answers are those of [OfRules]. A Reading does not change, and is safe for concurrent use.
type Reading struct {
	lines   []uint32 // of the records, in their order
	digests []digest
}

// Read reads what a robots.txt says about use.
func Read(f *robots.File) *Reading {
	var reading Reading
	for r := range f.Records() {
		if source := sourceOf(r); source.Source != "" {
			reading.lines = append(reading.lines, uint32(r.Line))
			reading.digests = append(reading.digests, digestOf(source, r))
		}
	}
	return &Reading{slices.Clip(reading.lines), slices.Clip(reading.digests)}
}

// Size returns about how many bytes of memory the Reading takes.
func (r *Reading) Size() int {
	return int(unsafe.Sizeof(*r)) + (cap(r.lines)+cap(r.digests))*int(unsafe.Sizeof(digest(0)))
}

// of returns what is kept of the record in a line.
func (r *Reading) of(line int) digest { return r.at(r.find(len(r.lines), line)) }

// at returns the digest at a place. There is nothing if the rules are of another file.
func (r *Reading) at(place int) digest {
	if place >= len(r.digests) {
		return 0
	}
	return r.digests[place]
}

// find returns the place of a line. It looks after the place of the last one first.
func (r *Reading) find(last, line int) int {
	if next := last + 1; next < len(r.lines) && int(r.lines[next]) == line {
		return next
	}
	i, _ := slices.BinarySearchFunc(r.lines, line, func(line uint32, wanted int) int { return cmp.Compare(int(line), wanted) })
	return i
}

// A digest tells of each known use whether records say yes to it, say no, or have a slip
// that means no: in a bit each. That of several records is all their bits.
type digest uint32

const (
	saysYes = 8 * iota // the places of these bits
	saysNo
	slipsNo
	slipsAny // and no place: whatever they mean
)

// known are the uses of which a digest tells.
var known = [...]Use{Search, AIInput, TrainAI, Immediate, Reference, Full}

// placeOf returns the place of a use in digests, or -1 if it has none.
func placeOf(use Use) int { return slices.Index(known[:], use) }

func (d digest) has(bit, place int) bool { return d>>(bit+place)&1 != 0 }

func (d digest) hasSlips() bool { return d.has(slipsAny, 0) }

func (d digest) says(place int) Preference {
	switch {
	case d.has(saysNo, place):
		return No
	case d.has(saysYes, place):
		return Yes
	}
	return NotStated
}

func digestOf(source Said, r robots.Record) (d digest) {
	said := preferencesOf(source, r.Value)
	for place, p := range said {
		switch p {
		case Yes:
			d |= 1 << (saysYes + place)
		case No:
			d |= 1 << (saysNo + place)
		}
	}
	states := func(use Use) bool { return said[placeOf(use)] != NotStated }
	for _, slip := range slipsIn(statementOf(source, r.Value), source, states) {
		d |= 1 << slipsAny
		if slip.Preference == No {
			d |= 1 << (slipsNo + placeOf(slip.Use))
		}
	}
	return d
}

// preferencesOf returns what [ofUse] does for each known use, and reads the value once.
func preferencesOf(source Said, value string) (said [len(known)]Preference) {
	var all [len(known)]tally
	wellFormed := source.each(value, func(s Said) {
		if place := placeOf(s.Use); place >= 0 {
			all[place].add(s)
		}
	})
	for place := range said {
		if wellFormed {
			said[place] = all[place].most().Preference
		}
	}
	return said
}

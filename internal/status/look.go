package status

import (
	"bytes"
	"encoding/binary"
)

// A Look looks for the mark of a wall in the beginning of a page, as the page is read. The zero Look has
// seen nothing yet.
type Look struct {
	seen int
	kept int
	tail [longestMark - 1]byte // the last kept octets: a mark may begin there
}

const (
	// Reach is how many octets of a page are looked at.
	Reach = 4 << 10

	longestMark = 64
)

// Finds looks at the next octets of the page. It reports whether they complete a mark, once.
func (l *Look) Finds(next []byte) bool {
	next = next[:min(len(next), Reach-l.seen)]
	l.seen += len(next)
	if hasMark(next) || l.joins(next) {
		l.seen = Reach
		return true
	}
	l.keep(next)
	return false
}

// Over reports whether there is nothing more to look at.
func (l *Look) Over() bool { return l.seen == Reach }

// joins reports whether a mark begins in what was read before, and ends in next.
func (l *Look) joins(next []byte) bool {
	if l.kept == 0 {
		return false
	}
	var seam [2 * len(l.tail)]byte
	n := copy(seam[:], l.tail[:l.kept])
	n += copy(seam[n:], next[:min(len(next), len(l.tail))])
	return hasMark(seam[:n])
}

// keep keeps the end of what was read until now.
func (l *Look) keep(next []byte) {
	next = next[max(len(next)-len(l.tail), 0):]
	drop := max(l.kept+len(next)-len(l.tail), 0)
	l.kept = copy(l.tail[:], l.tail[drop:l.kept])
	l.kept += copy(l.tail[l.kept:], next)
}

// hasMark reports whether a page has a mark. To compare each mark with each place of a page would take
// microseconds. Instead, hasMark looks at four octets out of fifteen: the end of a mark is so long that
// such four lie within it wherever it stands, and few pages have them otherwise.
func hasMark(page []byte) bool {
	for rest := page; len(rest) >= gramSize; rest = rest[min(stride, len(rest)):] {
		gram := binary.LittleEndian.Uint32(rest)
		if bit := slot(gram); slots[bit/64]&(1<<(bit%64)) == 0 {
			continue
		}
		for _, mark := range grams[gram] {
			if from := len(page) - len(rest) - int(mark.at); from >= 0 && bytes.HasPrefix(page[from:], marks[mark.number]) {
				return true
			}
		}
	}
	return false
}

const (
	gramSize = 4
	stride   = 15
	endSize  = stride + gramSize - 1 // an end of this size has a whole gram at a multiple of stride
	slotBits = 14
)

// A place is where a mark has a gram.
type place struct{ number, at uint8 }

// grams are the grams in the ends of the marks.
var grams = func() map[uint32][]place {
	grams := make(map[uint32][]place)
	for number, mark := range marks {
		for at := len(mark) - endSize; at+gramSize <= len(mark); at++ {
			gram := binary.LittleEndian.Uint32(mark[at:])
			grams[gram] = append(grams[gram], place{uint8(number), uint8(at)})
		}
	}
	return grams
}()

// slots are the grams as bits, so that a map need not be asked for each gram of a page.
var slots = func() (slots [1 << slotBits / 64]uint64) {
	for gram := range grams {
		slots[slot(gram)/64] |= 1 << (slot(gram) % 64)
	}
	return slots
}()

// slot returns the bit of a gram.
func slot(gram uint32) uint32 {
	const odd = 0x9E3779B1 // 2³² divided by the golden ratio
	return gram * odd >> (32 - slotBits)
}

package lint

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoted is a part of the file. Its String is what a message shows: shortened, and
// without anything that acts on a terminal.
type quoted []byte

func (q quoted) String() string {
	text := strconv.Quote(clip(q)) // it leaves blank letters and marks as they are
	if !strings.ContainsFunc(text, isBlank) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isBlank(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isBlank reports whether r shows nothing, though strconv takes it for printable.
func isBlank(r rune) bool {
	switch r {
	case 0x2800, 0x13441, 0x13442, 0x16FE4, 0x1D159:
		return true
	}
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// clipped is quoted without the quotation marks.
type clipped []byte

func (c clipped) String() string {
	q := quoted(c).String()
	return q[1 : len(q)-1]
}

// longestQuote is the number of octets at which a quote is cut off.
const longestQuote = 60

func clip(b []byte) string {
	if len(b) <= longestQuote {
		return string(b)
	}
	end := longestQuote
	for end > longestQuote-utf8.UTFMax && !utf8.RuneStart(b[end]) {
		end--
	}
	return string(b[:end]) + "…"
}

// nearest returns the known name that is most like name, which is in lower case, or "" if
// none is, or if name is long.
func nearest(name string, known []string) string {
	if len(name) > longestQuote {
		return ""
	}
	best, least := "", 3
	for _, one := range known {
		distance := editDistance(name, strings.ToLower(one))
		if distance < least && distance*3 < len(one) {
			best, least = one, distance
		}
	}
	return best
}

// editDistance returns how many characters have to be inserted, deleted, replaced or
// swapped with their neighbour to turn a into b.
func editDistance(a, b string) int {
	from, to := []rune(a), []rune(b)
	var before, above []int // the two rows above the current one
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		before, above, row = above, row, make([]int, len(to)+1)
		row[0] = i + 1
		for j := range to {
			replaced := above[j]
			if from[i] != to[j] {
				replaced++
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, replaced)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(to)]
}

package lint

import "github.com/go-polite/polite/robots/internal/syntax"

// A trait of an octet is a reason to look at the patterns that have the octet.
type trait uint8

const (
	hasStar trait = 1 << iota
	hasDollar
	hasPercent
	hasSpace
	hasHigh
	hasBracket
	hasRaw
)

var traits = func() (table [256]trait) {
	for c := range table {
		switch {
		case c >= 0x80:
			table[c] = hasHigh
		case !syntax.IsOrdinary(byte(c)):
			table[c] = hasRaw
		}
	}
	table['*'], table['$'], table['%'] = hasStar, hasDollar, hasPercent
	table[' '], table['\t'] = hasSpace, hasSpace
	for _, c := range `\^|()[]+` {
		table[c] |= hasBracket
	}
	return table
}()

// encoded returns a pattern with each octet percent-encoded that no URL has as it is. It
// leaves white space as it is, as this may be a mistake.
func encoded(value []byte) []byte {
	var b []byte
	for _, c := range value {
		if traits[c]&(hasHigh|hasRaw) != 0 {
			b = syntax.AppendTriplet(b, c)
		} else {
			b = append(b, c)
		}
	}
	return b
}

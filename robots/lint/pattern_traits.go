package lint

import "github.com/go-polite/polite/robots/internal/syntax"

// A trait of an octet makes a pattern that has the octet worth a look.
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

// encoded returns a pattern in which every octet is percent-encoded that no URL has
// otherwise. It leaves white space as it is, as this may be a mistake.
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

package diff

import "strings"

// fillers are what may stand for a wildcard, the nicest first. None of them is a
// hexadecimal digit, which might complete a percent-encoded octet.
const fillers = "xzqjkwvyuhgmnoprstilXZQJKWVYUHGMNOPRSTIL~-._!'(),;@&=+:"

// fillerFor returns a filler that only wildcards match: no literal of a form matches a
// part of it. If there is no such filler, all is false.
func fillerFor(forms ...[]form) (filler string, all bool) {
	var used, atEdge [256]bool
	var run [256]int // the longest run of an octet
	for _, some := range forms {
		for _, f := range some {
			for literal := range strings.SplitSeq(string(f), "*") {
				note(literal, &used, &atEdge, &run)
			}
		}
	}
	for _, c := range []byte(fillers) {
		if !used[c] {
			return string(c), true
		}
	}
	for _, c := range []byte(fillers) {
		if !atEdge[c] && run[c] < 8 {
			return strings.Repeat(string(c), run[c]+1), true
		}
	}
	return "xqzjxqzj", false
}

// note notes which octets a literal has.
func note(literal string, used, atEdge *[256]bool, run *[256]int) {
	length := 0
	for i := range len(literal) {
		c := literal[i]
		used[c] = true
		if length++; i == 0 || literal[i-1] != c {
			length = 1
		}
		run[c] = max(run[c], length)
	}
	if literal != "" {
		atEdge[literal[0]], atEdge[literal[len(literal)-1]] = true, true
	}
}

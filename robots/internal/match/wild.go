package match

import (
	"strings"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// matchesWild reports whether a pattern with wildcards matches path, to its end if
// anchored. The literals between wildcards are searched for from left to right. The
// earliest match is as good as any other, so there is no need to go back.
func matchesWild(pattern, path string, anchored bool) bool {
	star := 0 // of the pattern; most begin with one, or with few octets before it
	for ; pattern[star] != '*'; star++ {
		if star == len(path) || path[star] != pattern[star] {
			return false
		}
	}
	at := star
	for {
		pattern = pattern[star+1:]
		if star = strings.IndexByte(pattern, '*'); star < 0 {
			break
		}
		if at = find(path, at, pattern[:star]); at < 0 {
			return false
		}
	}
	if anchored {
		return endsWith(path, at, pattern)
	}
	return find(path, at, pattern) >= 0
}

// find returns the end of the first literal in target that starts at or after
// at, or -1.
func find(target string, at int, literal string) int {
	end := -1
	if i := strings.Index(target[at:], literal); i >= 0 {
		end = at + i + len(literal)
	}
	if from := syntax.QueryFrom(target, at, literal); from >= 0 {
		var room [128]byte
		decoded := syntax.AppendDecoded(room[:0], literal)
		if i := strings.Index(target[from:], View(decoded)); i >= 0 && (end < 0 || from+i+len(decoded) < end) {
			end = from + i + len(decoded)
		}
	}
	return end
}

// endsWith reports whether target ends with a literal that starts at or after at.
func endsWith(target string, at int, literal string) bool {
	if strings.HasSuffix(target[at:], literal) {
		return true
	}
	from := syntax.QueryFrom(target, at, literal)
	if from < 0 {
		return false
	}
	var room [128]byte
	return strings.HasSuffix(target[from:], View(syntax.AppendDecoded(room[:0], literal)))
}

package origin

import (
	"bytes"
	"strings"
)

// Folded returns target, a path and its query, with the path as most servers read it:
// several slashes are one, and then dot segments are removed (RFC 3986 §5.2.4), even if
// their dots are percent-encoded. The query is left as it is. If there is nothing to
// fold, it returns target and allocates nothing.
//
// An encoded slash stays what it is (RFC 9309 §2.2.2). So does a backslash: few servers
// take it for a slash. The others serve "/private\..\a" as it stands, and not /a.
func Folded(target string) string {
	path, query := target, ""
	if i := strings.IndexByte(target, '?'); i >= 0 {
		path, query = target[:i], target[i:]
	}
	if !strings.HasPrefix(path, "/") || isFolded(path) {
		return target
	}
	folded, down := make([]byte, 0, len(target)), 0
	for segment := range strings.SplitSeq(path[1:], "/") {
		switch down = levels(segment); down {
		case 1:
			folded = append(append(folded, '/'), segment...)
		case -1:
			folded = folded[:max(0, bytes.LastIndexByte(folded, '/'))]
		}
	}
	if down != 1 { // the last segment: the target is a folder
		folded = append(folded, '/')
	}
	return string(append(folded, query...))
}

func isFolded(path string) bool {
	for segment, rest := "", path[1:]; rest != ""; {
		if segment, rest, _ = strings.Cut(rest, "/"); levels(segment) != 1 {
			return false
		}
	}
	return true
}

// levels returns how many levels a segment of a path leads down: "." and "" none,
// ".." one up.
func levels(segment string) int {
	dots := 0
	for ; segment != ""; dots++ {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && strings.EqualFold(segment[:3], "%2e"):
			segment = segment[3:]
		default:
			return 1
		}
	}
	switch dots {
	case 0, 1:
		return 0
	case 2:
		return -1
	default:
		return 1
	}
}

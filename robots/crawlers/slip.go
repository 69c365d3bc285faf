package crawlers

const (
	shortest         = 6 // of the names in which a slip is told from another name
	shortestReplaced = 9 // likewise if a character is replaced: roverbot is not rogerbot
)

// isSlip reports whether a name is written with one slip: a character is missing, too much,
// swapped with its neighbour or, in a longer name, replaced.
func isSlip(written, name string) bool {
	if d := len(written) - len(name); len(name) < shortest || d < -1 || 1 < d {
		return false
	}
	same := 0 // characters at the beginning
	for same < len(written) && same < len(name) && written[same] == name[same] {
		same++
	}
	a, b := written[same:], name[same:]
	switch len(a) - len(b) {
	case 1:
		return a[1:] == b
	case -1:
		return a == b[1:] && (b[0] < '0' || '9' < b[0]) // AIBot is not AI2Bot
	case 0:
		swapped := len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
		return swapped || len(a) > 0 && len(name) >= shortestReplaced && a[1:] == b[1:]
	}
	return false
}

// Package closest finds the name that was meant.
package closest

// Name returns the name that is most like what was written, or "" if none is like
// it.
func Name(written string, names []string) string {
	best, least := "", 1+len(written)/3
	for _, name := range names {
		if d := distance(written, name); d <= least {
			best, least = name, d-1
		}
	}
	return best
}

// distance returns how many octets must be put in, taken out or changed to turn a
// into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // from a's beginning to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

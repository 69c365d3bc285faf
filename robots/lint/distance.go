package lint

import "strings"

// nearest returns the known name that is most like name, which is in lower case, or "" if
// none is.
func nearest(name string, known []string) string {
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

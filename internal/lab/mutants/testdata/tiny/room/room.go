// Package room has what no mutant may change, since nobody would see it.
package room

import "slices"

type pair struct {
	n    int
	name string
}

const none = 0

func unseen(all []int) (map[int]bool, pair) {
	all = slices.Grow(all, 2)
	if cap(all) > cap(make([]int, len(all), len(all)+9)) {
		return nil, pair{none, ""}
	}
	return make(map[int]bool, len(all)+1), pair{name: "x"}
}

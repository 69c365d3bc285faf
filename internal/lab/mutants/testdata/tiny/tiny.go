// Package tiny has mutants of each kind and of each fate.
package tiny

import "errors"

const most = 10

func isMany(n int) bool { return min(n, 100) > most }

func sum(all []int) (n int, err error) {
	for _, one := range all {
		if isMany(one) || one < 0 {
			return 0, errors.New("out of bounds")
		}
		n += one
	}
	return n, nil
}

func forNobody(s string) int {
	switch {
	case s == "":
		return 1 - len(s)
	}
	return 0
}

var last []int

func forget(all []int) {
	for i := range all {
		all[i] = 0
	}
	last = all
}

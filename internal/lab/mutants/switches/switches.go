// Package switches has the switches of mutants. Command mutants copies it into the modules that it
// changes, and writes calls of it in the place of code. A function does what the code did, unless its
// mutant is on: the environment variable MUTANT names the one that is. If MUTANT_REACHED names a file,
// the numbers of the mutants that were reached are written there.
package switches

import (
	"cmp"
	"errors"
	"os"
	"strconv"
	"sync"
)

var (
	on      = number(os.Getenv("MUTANT"))
	reached = open(os.Getenv("MUTANT_REACHED"))
	seen    sync.Map // numbers that were written
)

func number(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return -1
}

func open(name string) *os.File {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) // processes of one test share it
	if err != nil {
		panic(err)
	}
	return file
}

// On reports whether a mutant is on.
func On(id int) bool {
	if reached != nil {
		if _, again := seen.LoadOrStore(id, true); !again {
			if _, err := reached.WriteString(strconv.Itoa(id) + "\n"); err != nil {
				panic(err)
			}
		}
	}
	return id == on
}

// Off reports whether a mutant is off.
func Off(id int) bool { return !On(id) }

// Not negates a condition.
func Not(id int, c bool) bool { return c != On(id) }

// Other takes b in the place of a.
func Other[T any](id int, a, b T) T {
	if On(id) {
		return b
	}
	return a
}

// And is an or.
func And(id int, a bool, b func() bool) bool {
	if On(id) {
		return a || b()
	}
	return a && b()
}

// Or is an and.
func Or(id int, a bool, b func() bool) bool {
	if On(id) {
		return a && b()
	}
	return a || b()
}

// Less is true of equals.
func Less[T cmp.Ordered](id int, a, b T) bool { return On(id) && a == b || a < b }

// LessOrEqual is false of equals.
func LessOrEqual[T cmp.Ordered](id int, a, b T) bool { return (Off(id) || a != b) && a <= b }

// Greater is true of equals.
func Greater[T cmp.Ordered](id int, a, b T) bool { return Less(id, b, a) }

// GreaterOrEqual is false of equals.
func GreaterOrEqual[T cmp.Ordered](id int, a, b T) bool { return LessOrEqual(id, b, a) }

type numeric interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Sum is a difference.
func Sum[T numeric](id int, a, b T) T {
	if On(id) {
		return a - b
	}
	return a + b
}

// Difference is a sum.
func Difference[T numeric](id int, a, b T) T {
	if On(id) {
		return a + b
	}
	return a - b
}

var errMutant = errors.New("the error of a mutant")

// Err swaps an error and nil.
func Err(id int, err error) error {
	switch {
	case !On(id):
		return err
	case err == nil:
		return errMutant
	default:
		return nil
	}
}

// Package long tells tests how much to try.
package long

import (
	"os"
	"testing"
)

// variable asks for long runs; .ci/run sets it.
const variable = "POLITE_LONG"

// Or returns long if the environment asks for long runs, and otherwise usual.
func Or[T any](usual, long T) T {
	if os.Getenv(variable) != "" {
		return long
	}
	return usual
}

// Only skips the test unless the environment asks for long runs.
func Only(t testing.TB) {
	if !Or(false, true) {
		t.Skip(variable, "asks for no long runs")
	}
}

// NotShort skips the test in a short run, which the race detector makes take very long. It is
// for tests that compute much and do little at once.
func NotShort(t testing.TB) {
	if testing.Short() {
		t.Skip("a short run leaves it out")
	}
}

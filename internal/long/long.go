// Package long tells tests how much to try.
package long

import (
	"math/rand/v2"
	"os"
	"strconv"
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

// seed names the variable that repeats what a long run has chosen.
const seed = "POLITE_SEED"

// Seed returns what random choices begin with: 1, so that each run tries the same. A long run
// tries others each time, and says which.
func Seed(t testing.TB) uint64 {
	t.Helper()
	if !Or(false, true) {
		return 1
	}
	n := rand.Uint64()
	if given := os.Getenv(seed); given != "" {
		var err error
		if n, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("%s: %v", seed, err)
		}
	}
	t.Logf("%s=%d repeats this", seed, n)
	return n
}

// NotShort skips the test in a short run, which the race detector makes take very long. It is
// for tests that compute much and do little at once.
func NotShort(t testing.TB) {
	if testing.Short() {
		t.Skip("a short run leaves it out")
	}
}

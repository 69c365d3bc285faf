// Package long tells tests how much to try.
package long

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// variable asks for long runs; .ci/explore sets it.
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

// Seed returns 1. In a long run it returns POLITE_SEED, or else a random seed, and logs it.
func Seed(t testing.TB) uint64 {
	if !Or(false, true) {
		return 1
	}
	seed, err := strconv.ParseUint(os.Getenv("POLITE_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("POLITE_SEED=%d repeats this", seed)
	return seed
}

// Last returns all, or the last alone in a short run. It is for a table of which one row shows what the
// race detector can find.
func Last[T any](all ...T) []T {
	if testing.Short() {
		return all[len(all)-1:]
	}
	return all
}

// NotShort skips the test in a short run, which the race detector makes take very long. It is
// for tests that compute much and do little at once.
func NotShort(t testing.TB) {
	if testing.Short() {
		t.Skip("a short run leaves it out")
	}
}

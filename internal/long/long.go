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

//go:build race

package conduct_test

// Under the race detector a goroutine needs a larger stack.
const stackFactor = 2

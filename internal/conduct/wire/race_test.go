//go:build race

package wire

// Under the race detector a goroutine needs a larger stack.
const stackFactor = 2

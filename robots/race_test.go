//go:build race

package robots_test

// Under the race detector a sync.Pool forgets at random.
const forgets = true

//go:build !race

package robots_test

const forgets = false

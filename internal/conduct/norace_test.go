//go:build !race

package conduct_test

const stackFactor = 1

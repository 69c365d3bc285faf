//go:build !race

package wire

const stackFactor = 1

//go:build !unix

package benchmarks

// ownTime returns 0: this system does not tell in the same way.
func ownTime() float64 { return 0 }

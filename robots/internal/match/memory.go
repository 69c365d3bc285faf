package match

import "unsafe"

// exactly returns a copy of s that is no larger than it has to be.
func exactly[T any](s []T) []T { return append([]T(nil), s...) }

// SizeOf returns the number of bytes that s has room for.
func SizeOf[T any](s []T) int {
	var element T
	return cap(s) * int(unsafe.Sizeof(element))
}

// View returns b as a string, for as long as b does not change. What it is given
// to does not keep it.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

package match

import "unsafe"

// exactly returns a copy of s that is no larger than it has to be.
func exactly[T any](s []T) []T { return append([]T(nil), s...) }

// SizeOf returns the number of bytes that s has room for.
func SizeOf[T any](s []T) int {
	var element T
	return cap(s) * int(unsafe.Sizeof(element))
}

// View returns b as a string without a copy. The string is good until b changes, so
// nobody may keep it for longer.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

package store

// As returns the first T, such as a [Teacher] or a [Reporter], among t and the Turns that it wraps. A Turns
// that wraps another has a method that returns the other:
//
//	Unwrap() store.Turns
//
// So polite finds all that the wrapped Turns can do, also what only later versions of polite ask for.
// If the wrapper lacks a method, polite calls the method of the wrapped Turns. So if the wrapper
// changes what Break or Watch does, let it be a Teacher and a Reporter, too.
func As[T Turns](t Turns) (found T, ok bool) {
	for range 100 { // one may wrap itself
		if found, ok = t.(T); ok {
			return found, true
		}
		wrapper, wraps := t.(interface{ Unwrap() Turns }) // nil is none
		if !wraps {
			break
		}
		t = wrapper.Unwrap()
	}
	return found, false
}

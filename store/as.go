package store

// As returns t as a T, such as a [Teacher] or a [Reporter]: t itself, or else the first one among those that
// it wraps. A Turns that wraps another has a method that returns it:
//
//	Unwrap() store.Turns
//
// So polite finds what the other can do beside Turns, also what later versions of polite ask for. These
// calls do not go through the wrapper: if it changes what Break or Watch does, let it be a Teacher and a
// Reporter, too.
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

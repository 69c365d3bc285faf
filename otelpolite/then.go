package otelpolite

// then returns a function that calls first, if it is not nil, and then second.
func then[A any](first, second func(A)) func(A) {
	if first == nil {
		return second
	}
	return func(a A) {
		first(a)
		second(a)
	}
}

// then2 is then for functions of two arguments.
func then2[A, B any](first, second func(A, B)) func(A, B) {
	if first == nil {
		return second
	}
	return func(a A, b B) {
		first(a, b)
		second(a, b)
	}
}

// then3 is then for functions of three arguments.
func then3[A, B, C any](first, second func(A, B, C)) func(A, B, C) {
	if first == nil {
		return second
	}
	return func(a A, b B, c C) {
		first(a, b, c)
		second(a, b, c)
	}
}

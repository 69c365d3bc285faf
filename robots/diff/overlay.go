package diff

// An overlay lays two forms over each other: it writes the paths that both match. Where a
// wildcard of both is, it writes the filler.
type overlay struct {
	a, b   form
	filler string
	fits   []bool // by cell: whether the rest of a and the rest of b have a path in common
	path   []byte
	yield  func(path []byte) bool // returns false to end the overlay
}

// cells returns the size of an overlay, which is also its cost.
func cells(a, b form) int { return (len(a) + 1) * (len(b) + 1) }

// overlays calls yield with the paths that two forms have in common.
func overlays(a, b form, filler string, yield func(path []byte) bool) {
	o := overlay{a: a, b: b, filler: filler, fits: make([]bool, cells(a, b)), yield: yield}
	for i := len(a); i >= 0; i-- {
		for j := len(b); j >= 0; j-- {
			o.fits[o.cell(i, j)] = o.fit(i, j)
		}
	}
	o.lay(0, 0)
}

func (o *overlay) cell(i, j int) int { return i*(len(o.b)+1) + j }

func (o *overlay) isStar(i, j int) (a, b bool) {
	return i < len(o.a) && o.a[i] == '*', j < len(o.b) && o.b[j] == '*'
}

// fit reports whether a from i on and b from j on have a path in common. It needs the
// cells after this one.
func (o *overlay) fit(i, j int) bool {
	starA, starB := o.isStar(i, j)
	endA, endB := i == len(o.a), j == len(o.b)
	switch {
	case endA && endB:
		return true
	case starA && o.fits[o.cell(i+1, j)], starB && o.fits[o.cell(i, j+1)]:
		return true
	case starA:
		return !endB && o.fits[o.cell(i, j+1)]
	case starB:
		return !endA && o.fits[o.cell(i+1, j)]
	default:
		return !endA && !endB && o.a[i] == o.b[j] && o.fits[o.cell(i+1, j+1)]
	}
}

// lay goes on with a from i on, and with b from j on. It returns false if yield does.
func (o *overlay) lay(i, j int) bool {
	if !o.fits[o.cell(i, j)] {
		return true
	}
	if i == len(o.a) && j == len(o.b) {
		return o.yield(o.path)
	}
	starA, starB := o.isStar(i, j)
	before := len(o.path)
	defer func() { o.path = o.path[:before] }()
	switch {
	case starA && starB:
		o.path = append(o.path, o.filler...)
		return o.lay(i+1, j) && o.lay(i, j+1)
	case starA:
		return o.lay(i+1, j) && o.under(o.b[j:], i, j+1)
	case starB:
		return o.lay(i, j+1) && o.under(o.a[i:], i+1, j)
	default:
		o.path = append(o.path, o.a[i])
		return o.lay(i+1, j+1)
	}
}

// under writes the first octet of rest, which the wildcard of the other form matches.
func (o *overlay) under(rest form, i, j int) bool {
	if rest == "" {
		return true
	}
	o.path = append(o.path, rest[0])
	return o.lay(i, j)
}

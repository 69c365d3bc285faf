package verb

// A First is the status of the first that did not go well, in whatever order they are
// noted. The zero First is that all went well.
type First struct {
	status Status
	n      int // its place
}

// Note notes the status of what is in the place n.
func (f *First) Note(n int, status Status) {
	if status != OK && (f.status == OK || n < f.n) {
		f.status, f.n = status, n
	}
}

// Status returns the status.
func (f *First) Status() Status { return f.status }

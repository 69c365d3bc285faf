package quota

const (
	longestValue = 2048 // octets of a field; a longer one does not count
	longestPart  = 64   // octets of a number or a date
	mostQuotas   = 16   // of a field; more do not count
)

// readable returns the values of a field, or nil if they are too long to be read. They may
// be many, and empty.
func readable(values []string) []string {
	size := 0
	for _, value := range values {
		if size += len(value) + 1; size > longestValue {
			return nil
		}
	}
	return values
}

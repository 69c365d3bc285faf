package limit

// betweenOwn is how many good answers of others lie between two of a target that is refused
// for a reason of its own.
const betweenOwn = 8

// own remembers the last targets that were refused with 429 or 503. If one is refused
// again, and others were not in between, then this is no limit of the site.
type own struct {
	targets [4]uint32
	between [4]uint8
	next    uint8
}

// good notes a good answer.
func (o *own) good(target uint32) {
	for i := range o.targets {
		switch {
		case o.targets[i] == target:
			o.targets[i] = 0
		case o.between[i] < betweenOwn:
			o.between[i]++
		}
	}
}

// refused notes a refusal. It reports whether the reason is the target's own. A target of 0
// is not known.
func (o *own) refused(target uint32) bool {
	if target == 0 {
		return false
	}
	for i := range o.targets {
		if o.targets[i] == target {
			again := o.between[i] >= betweenOwn
			o.between[i] = 0
			return again
		}
	}
	i := o.next % uint8(len(o.targets))
	o.targets[i], o.between[i] = target, 0
	o.next = i + 1
	return false
}

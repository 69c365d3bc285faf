package match

import "math/bits"

// Chains say how literals are nested. If several literals end at the same octet of a
// path, each ends with the next shorter one. The parent of a literal is the longest other
// literal that it ends with. This forest is cut into chains. A chain goes from a literal
// to its child with the most descendants, and on from there:
//
//	a ─ aa ─ aaa ─ baaa       chain 0: a aa aaa baaa    literals 0 to 3
//	│   └ caa                 chain 1: ba bba           literals 4 and 5
//	└ ba ─ bba                chain 2: caa              literal  6
//
// The literals of a chain have numbers in a row, so that one bitset shows which of them
// are awaited, 64 at a time. A chain below another has less than half of its descendants,
// so there are no more than log2(literals) chains above a literal.
type chains []chain

// A chain says in which chain a literal is.
type chain struct {
	first uint32 // the first literal of the chain
	above uint32 // the parent of the first literal, or none
}

// newChains gives literals new numbers, and returns these by the old ones. The parents
// are given by old numbers. In order, each literal comes after its parent.
func newChains(parents, order []uint32) (_ chains, numbers []uint32) {
	heirs := heirs(parents, order)
	numbers = make([]uint32, len(parents))
	c := make(chains, 0, len(parents))
	for _, first := range order {
		above := none
		if parent := parents[first]; parent != none {
			if heirs[parent] == first {
				continue
			}
			above = numbers[parent]
		}
		begin := uint32(len(c))
		for literal := first; literal != none; literal = heirs[literal] {
			numbers[literal] = uint32(len(c))
			c = append(c, chain{begin, above})
		}
	}
	return c, numbers
}

// heirs returns for each literal the child that has the most descendants, or none.
func heirs(parents, order []uint32) []uint32 {
	heirs := make([]uint32, len(parents))
	descendants := make([]uint32, len(parents))
	for i := range heirs {
		heirs[i] = none
	}
	for i := len(order) - 1; i >= 0; i-- {
		child := order[i]
		parent := parents[child]
		if parent == none {
			continue
		}
		descendants[parent] += descendants[child] + 1
		if heir := heirs[parent]; heir == none || descendants[child] > descendants[heir] {
			heirs[parent] = child
		}
	}
	return heirs
}

// nearest returns the longest literal in a set that literal ends with, which may be
// literal itself, or none. It also returns the number of words of the set that it looked
// at.
func (c chains) nearest(set bitset, literal uint32) (found uint32, looks int) {
	for literal != none {
		found, words := set.last(c[literal].first, literal)
		looks += words
		if found != none {
			return found, looks
		}
		literal = c[literal].above
	}
	return none, looks
}

// A bitset is a set of small numbers.
type bitset []uint64

func (s bitset) add(i uint32)    { s[i>>6] |= 1 << (i & 63) }
func (s bitset) remove(i uint32) { s[i>>6] &^= 1 << (i & 63) }

// last returns the greatest element from first to last, or none, and the number of
// words that it looked at.
func (s bitset) last(first, last uint32) (found uint32, looks int) {
	word := s[last>>6] << (63 - last&63) >> (63 - last&63)
	for at := last >> 6; ; at-- {
		looks++
		if at == first>>6 {
			word = word >> (first & 63) << (first & 63)
		}
		if word != 0 {
			return at<<6 | uint32(bits.Len64(word)-1), looks
		}
		if at == first>>6 {
			return none, looks
		}
		word = s[at-1]
	}
}

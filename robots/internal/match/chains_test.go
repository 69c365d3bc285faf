package match

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Few chains are above a literal, however the literals are nested: no more than log2 of their number.
func TestChainsAbove(t *testing.T) {
	const n = 2001
	random := rand.New(rand.NewPCG(1, 2))
	for name, parent := range map[string]func(i int) int{
		"one in the other":                 func(i int) int { return i - 1 },
		"each with a leaf before the next": func(i int) int { return (i - 1) / 2 * 2 },
		"each with a leaf after the next":  func(i int) int { return max(i-2+i%2, 0) &^ 1 },
		"two in each":                      func(i int) int { return (i - 1) / 2 },
		"all in one":                       func(int) int { return 0 },
		"by chance":                        func(i int) int { return random.IntN(i) },
		"by chance, deep":                  func(i int) int { return max(i-1-random.IntN(4), 0) },
	} {
		parents, order := []uint32{none}, []uint32{0}
		for i := 1; i < n; i++ {
			parents, order = append(parents, uint32(parent(i))), append(order, uint32(i))
		}
		chains, numbers := newChains(parents, order)
		most := 0
		for _, literal := range numbers {
			above := 0
			for literal = chains[literal].above; literal != none; literal = chains[literal].above {
				above++
			}
			most = max(most, above)
		}
		assert.LessOrEqual(t, most, bits.Len(n)-1, name)
	}
}

package lint

import (
	"math/rand/v2"
	"testing"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
	"github.com/stretchr/testify/require"
)

// A rule that matches a path needs no pair that the path lacks, and of long patterns most
// need one that other paths lack.
func TestPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9309))
	pieces := []string{"a", "b", "*", "*", "?", "?", ":", "%3A", "/", ".", "$"}
	word := func(size int) (word []byte) {
		for range random.IntN(size) {
			word = append(word, pieces[random.IntN(len(pieces))]...)
		}
		return append([]byte("/"), word...)
	}
	matched := 0
	for range 200_000 {
		var b match.Builder
		var s match.Set
		b.Add(1, true, word(6))
		b.Build(&s, match.Text(b.Text))
		path := string(syntax.AppendNormal(nil, string(word(12)), false))
		p := match.Unlimited(path)
		if s.Matches(s.Rules[0], &p) {
			require.Zero(t, neededPairs(&s, s.Rules[0])&^pairsOf(path), "%s on %s", s.Pattern(s.Rules[0]), path)
			matched++
		}
	}
	require.Greater(t, matched, 10_000)
	require.NotZero(t, pairsOf("/some/folder/")&^pairsOf("/another/one/"))
}

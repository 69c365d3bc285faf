package syntax

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Normal form stays as it is, the text before it changes nothing, and the short cuts are
// right. Other packages cannot see the short cuts.
func FuzzNormal(f *testing.F) {
	for _, s := range []string{
		"/a/b?c=d", "/%2%46", "/%%41B", "/%2%66%", "/%2%35%46", "/%252F", "/%%%34%31", "/%a%42?%3a%%33%41",
		"/{0}/", "/a\"b<c>d\\e^f`g{h|i}j~k", "/\x00\x1f \x7f\x80\xff", "/abcdefghijklmnop{}", "/%7b%7B", "/ab*$%2a%24", "/p#q", "//", "",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, s string, pattern bool) {
		if len(s) > 100 {
			t.Skip()
		}
		normal := string(AppendNormal(nil, s, pattern))
		assert.Equal(t, normal, string(AppendNormal(nil, normal, pattern)))
		assert.Equal(t, "%2"+normal, string(AppendNormal([]byte("%2"), s, pattern)))
		for i := range len(s) {
			if !strings.Contains(s[max(0, i-2):i], "%") {
				assert.True(t, strings.HasPrefix(normal, string(AppendNormal(nil, s[:i], pattern))), "the first %d octets", i)
			}
		}
		if IsNormalTarget(s) {
			assert.Equal(t, s, string(AppendNormal(nil, PathOf(s), false)))
		}
		usual := s[:firstUnusual(s)]
		assert.Equal(t, usual, string(AppendNormal(nil, usual, pattern)))
		assert.NotContains(t, usual, "*")
	})
}

// Octets read eight at a time have the same result as one by one. Almost all octets that
// are in normal form are found to be so.
func TestFirstUnusual(t *testing.T) {
	for c := range 256 {
		for i := range 20 {
			s := []byte("abcdefghijklmnopqrst")
			s[i] = byte(c)
			n := firstUnusual(s)
			assert.Contains(t, []int{i, len(s)}, n)
			usual := c >= '+' && isOrdinary[c]
			assert.True(t, n == i || usual, "%q at %d", c, i)
			assert.True(t, n > i || !usual || c == '~', "%q at %d", c, i)
		}
	}
}

package fetch_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/stretchr/testify/assert"
)

// What is clipped is no longer than it may be, whatever its characters are.
func TestClip(t *testing.T) {
	assert.Equal(t, "abcdef", fetch.Clip("abcdef", 6))
	assert.Equal(t, "abc…", fetch.Clip("abcdefg", 6))
	for _, s := range []string{"a", "é", "ツ", "😀", "\xff"} {
		for most := 3; most < 20; most++ {
			short := fetch.Clip(strings.Repeat(s, 20), most)
			assert.LessOrEqual(t, len(short), most)
			assert.True(t, utf8.ValidString(short))
			assert.True(t, strings.HasSuffix(short, "…"))
		}
	}
}

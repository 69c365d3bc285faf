package terminal

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A page on a screen may come in any pieces.
func TestScreen(t *testing.T) {
	const page = "a\r\nb\rc\n\té\u3000ツ\x1b[2J\u202e\xe3\x83👍\x9b\r"
	const want = "a\nb\\rc\n\té\u3000ツ\\x1b[2J\\u202e\\xe3\\x83👍\\x9b\\r\n"
	for size := 1; size <= len(page); size++ {
		var shown strings.Builder
		s := &Screen{w: &shown}
		for rest := page; rest != ""; {
			n := min(size, len(rest))
			written, err := s.Write([]byte(rest[:n]))
			require.NoError(t, err)
			require.Equal(t, n, written)
			rest = rest[n:]
		}
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
		assert.Equal(t, want, shown.String(), "in pieces of %d", size)
	}
	reader, closed := io.Pipe()
	reader.Close()
	_, err := (&Screen{w: closed}).Write([]byte("x"))
	assert.Error(t, err)
	assert.Equal(t, io.Discard, OnScreen(io.Discard))
}

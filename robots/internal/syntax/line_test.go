package syntax

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The lines of a body are the whole body. A plain line that is read in a single pass
// means the same as when it is cut and split.
func FuzzLines(f *testing.F) {
	for _, body := range []string{
		"", "\n", "user-agent: *\nDisallow: /a\r\nallow:\t/b*c$\rdisallow:\n\n\r\rallow: /x", "disallow: /a b\ndisallow: /{\ndisallow : /\ndisallow:/%41\n",
		"disallow: /a # b\nallow:/", "\r\n\n\r", "allow:\x00/\nDISALLOW: \x0b/x", "disallow: abcdefghijklmnop*qrstuvw$\n",
		"User-Agent:\ta-b_c\r\nuser-agent:*\nuser\ragent: a\nuser-agent\x1a b\nuser-agent: * x\nuser-agent: a1", "Sitemap: https://example.com/a.xml\nSITEMAP:\nsitemap\x1a b: c\nsitemap: a b\nuser-agent:\nuser-agent : a",
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var all []byte
		number := 0
		for line := range Lines(body) {
			number++
			require.Equal(t, number, line.Number)
			require.Contains(t, []string{"\n", "\r", "\r\n", ""}, string(line.End))
			all = append(append(all, line.Text...), line.End...)
			require.Equal(t, len(all) == len(body), line.Last)
			require.False(t, bytes.ContainsAny(line.Text, "\r\n"))
			if line.IsPlain {
				requirePlain(t, line)
			}
		}
		assert.Equal(t, string(body), string(all))
	})
}

func requirePlain(t *testing.T, line *Line) {
	t.Helper()
	key, value, ok := Split(line.Text)
	if len(line.Text) == 0 {
		require.False(t, ok)
		return
	}
	plain := line.Text[line.Plain.Value:]
	require.True(t, ok)
	require.Equal(t, Classify(key), line.Plain.Kind)
	require.Equal(t, Classify(key) == Allow || Classify(key) == Disallow, line.Plain.IsRule())
	require.Equal(t, string(value), string(plain))
	require.Equal(t, string(plain), string(AppendNormal(nil, plain, true)), "is in normal form")
	require.False(t, slices.Contains(plain[:line.Plain.Literal], '*'))
}

// The usual lines are read in a single pass.
func TestPlainLines(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "User-Agent: *": true, "disallow: /a*b$": true, "Allow:/abcdefghij": true, "allow: /": true, "SITEMAP: https://a.example/": true,
		"disallow: /a b": false, "crawl-delay: 10": false, "disallow /": false, "allow /": false, "sitemap https://a": false, "user agent: *": false, "user-agenda: *": false,
	} {
		for line := range Lines([]byte(text + "\nuser-agent: *\n")) {
			assert.Equal(t, want, line.IsPlain, text)
			break
		}
	}
}

// A loop over lines may end early, and begin anew.
func TestLinesAgain(t *testing.T) {
	lines := Lines([]byte("a\nb"))
	for range 2 {
		for line := range lines {
			assert.Equal(t, "a", string(line.Text))
			break
		}
	}
}

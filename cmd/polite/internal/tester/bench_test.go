package tester

import (
	"fmt"
	"testing"

	"github.com/go-polite/polite/internal/corpus"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/require"
)

// BenchmarkJudge measures all that a key costs besides the socket.
func BenchmarkJudge(b *testing.B) {
	median := filled(2_000, "disallow: /some/path/%d/\n")
	for _, test := range []struct {
		name string
		text []byte
		urls int
	}{
		{"median", median, 100},
		{"plain", filled(robots.MaxSize, "disallow: /some/path/%d/x\n"), 10_000},
		{"wildcards", filled(robots.MaxSize, "disallow: /*path*%d*x$\n"), 10_000},
		{"statements", filled(robots.MaxSize, "content-usage: /some/path/%d train-ai=n\n"), 10_000},
		{"groups", filled(robots.MaxSize, "user-agent: a%d\ndisallow: /x\n"), 10_000},
	} {
		b.Run(test.name, func(b *testing.B) { benchmark(b, test.text, test.urls) })
	}
}

// BenchmarkLargest judges 10,000 URLs by the largest real file.
func BenchmarkLargest(b *testing.B) {
	var largest []byte
	for _, body := range corpus.Bodies(b) {
		if len(body) > len(largest) {
			largest = body
		}
	}
	b.Log(len(largest), "bytes")
	benchmark(b, largest, 10_000)
}

func benchmark(b *testing.B, text []byte, urls int) {
	f := form{request: request{Agent: "GPTBot", Explain: 0}, text: text}
	for i := range urls {
		f.request.URLs = append(f.request.URLs, fmt.Sprintf("https://h%d.example/some/path/%d/page.html?q=%d", i%100, i, i))
	}
	for b.Loop() {
		_, err := inJSON(f.judge(b.Context()))
		require.NoError(b, err)
	}
}

// filled returns a file of so many bytes.
func filled(size int, line string) []byte {
	text := []byte("user-agent: *\n")
	for i := 0; len(text) < size-len(line)-5; i++ {
		text = fmt.Appendf(text, line, i)
	}
	return text
}

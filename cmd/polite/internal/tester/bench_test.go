package tester

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/require"
)

// BenchmarkJudge measures all that a key costs besides the socket, with a table of eight crawlers.
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
	var lines []string
	for i := range urls {
		lines = append(lines, fmt.Sprintf("https://h%d.example/some/path/%d/page.html?q=%d", i%100, i, i))
	}
	f := form{request: request{Agent: "GPTBot", Several: &eight}, urls: targetsOf(strings.Join(lines, "\n")), text: text}
	b.ReportAllocs()
	for b.Loop() {
		_, err := inJSON(f.judge(b.Context()))
		require.NoError(b, err)
	}
}

// eight are crawlers, seven of which have groups of their own in a file that [filled] returns.
var eight = several{Names: []string{"GPTBot", "CCBot", "Googlebot", "bingbot", "Amazonbot", "Bytespider", "YandexBot", "other"}}

// filled returns a file of so many bytes.
func filled(size int, line string) []byte {
	var text []byte
	for _, name := range eight.Names[:7] {
		text = fmt.Appendf(text, "user-agent: %s\ndisallow: /%s\nallow: /some/*/1\n", name, name)
	}
	text = append(text, "user-agent: *\n"...)
	for i := 0; len(text) < size-len(line)-5; i++ {
		text = fmt.Appendf(text, line, i)
	}
	return text
}

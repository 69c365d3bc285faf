package robots_test

import (
	"testing"

	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/robots"
)

// It parses all files of the corpus, one after another.
func BenchmarkParse(b *testing.B) {
	bodies := corpus.Bodies(b)
	size := 0
	for _, body := range bodies {
		size += len(body)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, body := range bodies {
			robots.Parse(body)
		}
	}
}

package robots_test

import (
	"testing"

	"github.com/go-polite/polite/internal/corpus"
	"github.com/go-polite/polite/robots"
)

func BenchmarkParse(b *testing.B) {
	overCorpus(b, func(body []byte) { robots.Parse(body) })
}

// overCorpus measures what do takes with all files of the corpus, one after another.
func overCorpus(b *testing.B, do func(body []byte)) {
	bodies := corpus.Bodies(b)
	size := 0
	for _, body := range bodies {
		size += len(body)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, body := range bodies {
			do(body)
		}
	}
}

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

// It answers all queries of the corpus, one after another.
func BenchmarkAllowed(b *testing.B) {
	type query struct {
		rules robots.Rules
		url   string
	}
	bodies, cases := corpus.Load(b)
	files := make(map[string]*robots.File, len(bodies))
	for host, body := range bodies {
		files[host] = robots.Parse(body)
	}
	var queries []query
	for _, c := range cases {
		queries = append(queries, query{files[c.Host].Rules(c.Agent), c.URL})
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, q := range queries {
			q.rules.Allowed(q.url)
		}
	}
}

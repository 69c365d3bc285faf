package records

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/reader"
	"github.com/stretchr/testify/assert"
)

// What is told of agents grows with the file, and no faster.
func TestManyAgentsOfManyRecords(t *testing.T) {
	for _, size := range []int{1_000, 40_000, 500 << 10} {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "user-agent: a%d\ncrawl-delay: %d\n", i, i)
		}
		for _, json := range []bool{false, true} {
			told := records(input.Source{Body: []byte(b.String())}, reader.TellOptions{JSON: json})
			assert.Less(t, len(told), 16*size+100_000)
			assert.Equal(t, size > 1_000, strings.Contains(told, "more"))
		}
	}
}

// What a line says nothing about is told as check tells it, and not as what its value seems to be.
func TestMeaning(t *testing.T) {
	for line, want := range map[string]string{
		"Content-Usage: search=yes":               "nothing: see polite lint",
		"Content-Usage: search=yes, train-ai=n":   "search not stated, train-ai no on all pages",
		"Content-Usage: /a train-ai=y":            "train-ai yes on /a",
		"Content-Signal: /blog/ ai-train=yes":     "nothing: see polite lint",
		"Content-Signal: ai-train=no, search=yes": "train-ai no, search yes on all pages",
	} {
		assert.Contains(t, records(input.Source{Body: []byte("User-agent: *\n" + line)}, reader.TellOptions{}), "<- "+want+"\n")
	}
}

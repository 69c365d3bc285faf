package robots

import (
	"iter"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// MaxSize is the number of bytes of a robots.txt that count: 500 KiB, the least
// that RFC 9309 §2.5 asks a crawler to read.
const MaxSize = syntax.MaxSize

// Lines returns the lines of a robots.txt by their numbers, as Parse reads them:
// without their ends, and those within the first [MaxSize] bytes only.
func Lines(body []byte) iter.Seq2[int, []byte] {
	body, _ = syntax.Truncate(body)
	return func(yield func(int, []byte) bool) {
		for line := range syntax.Lines(body[syntax.MarkSize(body):]) {
			if !yield(line.Number, line.Text) {
				return
			}
		}
	}
}

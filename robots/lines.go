package robots

import (
	"iter"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// MaxSize is the number of bytes of a robots.txt that Parse reads: 500 KiB. RFC 9309
// §2.5 asks a crawler to read at least as much.
const MaxSize = syntax.MaxSize

// Lines returns the lines of a robots.txt with their numbers, from 1, as Parse reads
// them: without line ends, and only those within the first [MaxSize] bytes.
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

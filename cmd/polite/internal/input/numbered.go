package input

import (
	"bufio"
	"errors"
	"io"
	"iter"
)

// A NumberedLine is a line of a text, or why there is none.
type NumberedLine struct {
	Text string
	Err  error
}

// Numbered yields the lines of r with their numbers, from 1. For what cannot be read it
// yields an error.
func Numbered(r io.Reader) iter.Seq2[int, NumberedLine] {
	return func(yield func(int, NumberedLine) bool) {
		buffer := bufio.NewReaderSize(r, maxLine)
		for n := 1; ; n++ {
			text, rest, err := buffer.ReadLine()
			line := NumberedLine{Text: string(text)}
			if rest {
				err = skipLine(buffer)
				line = NumberedLine{Err: errors.New("a line is longer than any URL")}
			}
			if err == io.EOF && line == (NumberedLine{}) {
				return
			}
			if err != nil && err != io.EOF {
				line = NumberedLine{Err: err}
			}
			if !yield(n, line) || err != nil {
				return
			}
		}
	}
}

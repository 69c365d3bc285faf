package input

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"strings"
)

// maxLine is longer than any URL that servers accept.
const maxLine = 1 << 20

// Lines yields the lines of r that are not blank, without the space around them, and
// without comments: what follows a "#" that begins a line or follows a space. For what
// cannot be read it yields an error.
func Lines(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, line := range numbered(r) {
			text := content(line.text)
			if (text != "" || line.err != nil) && !yield(text, line.err) {
				return
			}
		}
	}
}

// skipLine reads on to the end of the line.
func skipLine(r *bufio.Reader) error {
	for {
		if _, rest, err := r.ReadLine(); err != nil || !rest {
			return err
		}
	}
}

// content returns a line without its comment, and without the space around.
func content(line string) string {
	line = strings.TrimSpace(line)
	for i := range line {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return strings.TrimSpace(line[:i])
		}
	}
	return line
}

// A numberedLine is a line of a text, or why there is none.
type numberedLine struct {
	text string
	err  error
}

// numbered yields the lines of r with their numbers, from 1. For what cannot be read it
// yields an error.
func numbered(r io.Reader) iter.Seq2[int, numberedLine] {
	return func(yield func(int, numberedLine) bool) {
		buffer := bufio.NewReaderSize(r, maxLine)
		for n := 1; ; n++ {
			text, rest, err := buffer.ReadLine()
			line := numberedLine{text: string(text)}
			if n == 1 {
				line.text = strings.TrimPrefix(line.text, "\uFEFF") // a byte order mark
			}
			if rest {
				err = skipLine(buffer)
				line = numberedLine{err: errors.New("a line is longer than any URL")}
			}
			if err == io.EOF && line == (numberedLine{}) {
				return
			}
			if err != nil && err != io.EOF {
				line = numberedLine{err: err}
			}
			if !yield(n, line) || err != nil {
				return
			}
		}
	}
}

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
		buffer := bufio.NewReaderSize(r, maxLine)
		for {
			line, rest, err := buffer.ReadLine()
			if rest {
				err = skipLine(buffer)
				line = nil
				if !yield("", errors.New("a line is longer than any URL")) {
					return
				}
			}
			if text := content(string(line)); text != "" && !yield(text, nil) {
				return
			}
			if err != nil {
				if err != io.EOF {
					yield("", err)
				}
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

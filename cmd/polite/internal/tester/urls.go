package tester

import (
	"bytes"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
)

// mostURLs is how many URLs a question has, at most.
const mostURLs = 10_000

// LastURLs are those of the last question. While a user edits the text, the page sends the
// same URLs with each key, and to read 10,000 of them takes longer than to judge them.
type lastURLs struct{ atomic.Pointer[readURLs] }

// ReadURLs are URLs with the lines that they were read from. They do not change.
type readURLs struct {
	lines   []byte
	targets []judge.Target
}

// read returns the URLs of lines, one a line.
func (l *lastURLs) read(lines []byte) ([]judge.Target, error) {
	if last := l.Load(); last != nil && bytes.Equal(last.lines, lines) {
		return last.targets, nil
	}
	if bytes.Count(lines, []byte("\n")) >= mostURLs {
		return nil, failure{http.StatusRequestEntityTooLarge, "There are more than 10,000 URLs: test fewer at a time."}
	}
	targets := targetsOf(string(lines))
	l.Store(&readURLs{lines, targets})
	return targets, nil
}

// targetsOf reads URLs, one a line, or paths of no site in particular.
func targetsOf(lines string) []judge.Target {
	if lines == "" {
		return nil
	}
	targets := make([]judge.Target, 0, strings.Count(lines, "\n")+1)
	for line := range strings.SplitSeq(lines, "\n") {
		targets = append(targets, judge.TargetOf(input.Question(line, true)))
	}
	return targets
}

package sites

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// MaxSize is the size of the largest text, in bytes.
const MaxSize = 16 << 20

// maxProblems is the number of problems that an error names.
const maxProblems = 10

// ReadFile returns the table in a file. The error names the lines that make no sense.
func ReadFile(name string) (*Table, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, MaxSize+1))
	if err != nil {
		return nil, err
	}
	return Parse(name, string(text))
}

// Parse returns the table in a text. The error names the lines that make no sense. For
// each it has name, the number of the line, the number of the octet in the line, and what
// to write. The Basis of Sites that have agreed also has name.
func Parse(name, text string) (*Table, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("%s: the file is longer than %d MiB: is it a list of sites?", name, MaxSize>>20)
	}
	r := reader{name: name, table: empty(), first: make(map[string]int), groups: make(map[string]grouped), all: settings()}
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		r.line++
		r.read(strings.TrimSuffix(line, "\r"))
		if len(r.problems) == maxProblems {
			break
		}
	}
	if len(r.problems) == 0 {
		r.problems = r.table.attach()
	}
	if len(r.problems) > 0 {
		return nil, errors.Join(r.problems[:min(len(r.problems), maxProblems)]...)
	}
	r.table.arrange()
	return r.table, nil
}

// A reader reads a text line by line.
type reader struct {
	name     string
	line     int
	table    *Table
	first    map[string]int     // the lines of the matches
	groups   map[string]grouped // by what the lines name
	all      []setting
	problems []error
}

func (r *reader) read(line string) {
	words := split(line)
	if len(words) == 0 {
		return
	}
	if at, err := r.add(words); err != nil {
		r.problems = append(r.problems, fmt.Errorf("%s:%d:%d: %w", r.name, r.line, at.column, err))
	}
}

// add adds an entry. If there is an error, add also returns the word that caused it.
func (r *reader) add(words []word) (at word, err error) {
	at = words[0]
	m, err := parseMatch(at.text)
	if err != nil {
		return at, err
	}
	l := entryLine{all: r.all, basis: fmt.Sprintf("%s:%d", r.name, r.line), entry: Entry{Match: m.text}}
	for _, w := range words[1:] {
		if err := l.set(w.text); err != nil {
			return w, err
		}
	}
	if err := l.vet(); err != nil {
		return at, err
	}
	if l.entry.Hours == "" {
		if line, twice := r.first[m.text]; twice {
			return at, fmt.Errorf("%s is on line %d already: write all its settings there", m.text, line)
		}
		r.first[m.text] = r.line
	}
	if err := r.agree(l.entry); err != nil {
		return at, err
	}
	return at, r.table.add(l.entry, fmt.Sprintf("%s:%d:%d", r.name, r.line, at.column))
}

// A grouped is the first line of a group.
type grouped struct {
	line        int
	delay       time.Duration
	concurrency int
}

// agree returns an error if the group of e has another gap or limit on an earlier line.
func (r *reader) agree(e Entry) error {
	if e.group == "" || e.group == noGroup {
		return nil
	}
	g := groupOf(e.Options.Pace)
	first, ok := r.groups[e.group]
	switch {
	case !ok:
		r.groups[e.group] = grouped{r.line, g.MinDelay, g.Concurrency}
	case first.delay != g.MinDelay || first.concurrency != g.Concurrency:
		return fmt.Errorf("group=%.60s has another gap or limit on line %d: write the same on both", e.group, first.line)
	}
	return nil
}

// A word is a part of a line.
type word struct {
	text   string
	column int // of its first octet, from 1
}

// split returns the words of a line, without a comment.
func split(line string) (words []word) {
	const space = " \t"
	for column := 1; ; {
		rest := strings.TrimLeft(line, space)
		column += len(line) - len(rest)
		if rest == "" || rest[0] == '#' {
			return words
		}
		end := strings.IndexAny(rest, space)
		if end < 0 {
			end = len(rest)
		}
		words = append(words, word{rest[:end], column})
		column += end
		line = rest[end:]
	}
}

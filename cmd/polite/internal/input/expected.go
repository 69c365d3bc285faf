package input

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
)

// An Expectation is what a line of a file expects: that a crawler may fetch a URL, or that
// it may not.
type Expectation struct {
	Number  int // from 1
	URL     string
	Crawler string   // as written
	Tokens  []string // its product tokens
	Allowed bool
}

// Expected yields the lines of r that expect something. For a line that makes no sense it
// yields an error, and the number of the line.
func Expected(r io.Reader) iter.Seq2[Expectation, error] {
	return func(yield func(Expectation, error) bool) {
		for n, line := range numbered(r) {
			if line.err == nil && isEmpty(line.text) {
				continue
			}
			var e Expectation
			if line.err == nil {
				e, line.err = parse(line.text)
			}
			e.Number = n
			if !yield(e, line.err) {
				return
			}
		}
	}
}

// isEmpty reports whether a line is blank, a comment, or the first line of a table.
func isEmpty(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#' || strings.EqualFold(strings.ReplaceAll(line, " ", ""), "url,crawler,verdict")
}

func parse(text string) (e Expectation, err error) {
	fields := split(text)
	if len(fields) != 3 {
		return e, errors.New("write a URL, a crawler and a verdict, as in: https://example.com/ Googlebot allowed")
	}
	e.URL, e.Crawler = fields[0], fields[1]
	var ok bool
	if e.Allowed, ok = verdictOf(fields[2]); !ok {
		return e, fmt.Errorf("%q is no verdict: write allowed or disallowed", fields[2])
	}
	if e.Crawler == "*" {
		e.Tokens = []string{anyOther}
		return e, nil
	}
	if e.Tokens, err = judge.ParseAgent(e.Crawler); err != nil {
		return e, fmt.Errorf("%q: %w", e.Crawler, err)
	}
	if doubt := judge.Doubt(e.Crawler, e.Tokens); doubt != "" { // nobody would notice what is as expected of a wrong name
		return e, errors.New(doubt)
	}
	return e, nil
}

// split returns the fields of a line: separated by space, or by commas as in CSV. A comment
// follows space and "#".
func split(text string) []string {
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	if fields := cells(text); len(fields) == 3 && isVerdict(fields[2]) {
		return fields
	}
	return strings.Fields(text)
}

// cells returns the cells of a row of CSV.
func cells(row string) []string {
	r := csv.NewReader(strings.NewReader(row))
	r.TrimLeadingSpace = true
	fields, err := r.Read()
	if err != nil {
		return nil
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}

func isVerdict(word string) bool {
	_, ok := verdictOf(word)
	return ok
}

func verdictOf(word string) (allowed, ok bool) {
	switch strings.ToLower(word) {
	case "allow", "allowed":
		return true, true
	case "disallow", "disallowed":
		return false, true
	}
	return false, false
}

// anyOther is the product token of a crawler that no robots.txt names. It stands for "*".
const anyOther = "any-crawler-that-is-not-named"

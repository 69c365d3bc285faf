// Package expect reads what verdicts are expected of a robots.txt.
package expect

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
)

// A Line is what a line expects: that a crawler may fetch a URL, or that it may not.
type Line struct {
	Number  int // from 1
	URL     string
	Crawler string   // as written
	Tokens  []string // its product tokens
	Allowed bool
}

// Lines yields the lines of r that expect something. For a line that makes no sense it
// yields an error, and the number of the line.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for n, text := range input.Numbered(r) {
			if text.Err != nil {
				if !yield(Line{Number: n}, text.Err) {
					return
				}
				continue
			}
			if isEmpty(text.Text) {
				continue
			}
			line, err := parse(text.Text)
			line.Number = n
			if !yield(line, err) {
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

func parse(text string) (line Line, err error) {
	fields := split(text)
	if len(fields) != 3 {
		return line, errors.New("write a URL, a crawler and a verdict, as in: https://example.com/ Googlebot allowed")
	}
	line.URL, line.Crawler = fields[0], fields[1]
	var ok bool
	if line.Allowed, ok = verdictOf(fields[2]); !ok {
		return line, fmt.Errorf("%q is no verdict: write allowed or disallowed", fields[2])
	}
	line.Tokens, err = tokensOf(line.Crawler)
	if err != nil {
		return line, fmt.Errorf("%q: %w", line.Crawler, err)
	}
	return line, nil
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

// AnyOther is the product token of a crawler that no robots.txt names. It stands for "*".
const AnyOther = "any-crawler-that-is-not-named"

func tokensOf(crawler string) ([]string, error) {
	if crawler == "*" {
		return []string{AnyOther}, nil
	}
	return judge.ParseAgent(crawler)
}

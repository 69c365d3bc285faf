package input

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/sitemap"
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

// errWide is the error of a text whose first line has an octet 0.
var errWide = errors.New("the text is not in UTF-8, but in UTF-16 or the like: save it in UTF-8")

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
				if strings.Contains(line.text, "\x00") {
					yield(n, numberedLine{err: errWide})
					return
				}
			}
			for rest && err == nil {
				line = numberedLine{err: errors.New("a line is longer than any URL")}
				_, rest, err = buffer.ReadLine()
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

// A Head is the beginning of a file, kept while the file is read through an [io.TeeReader].
type Head struct{ start []byte }

// longestHead is enough to know what a file is.
const longestHead = 4096

// Write keeps p, as far as it belongs to the beginning.
func (h *Head) Write(p []byte) (int, error) {
	h.start = append(h.start, p[:min(len(p), longestHead-len(h.start))]...)
	return len(p), nil
}

// Instead says what the file of a name is, if it is no list of expectations, and what to do
// with it. It is "" if nothing is known.
func (h *Head) Instead(name string) string {
	first := "" // line that is neither blank nor a comment
	for first = range Lines(bytes.NewReader(h.start)) {
		break
	}
	switch {
	case bytes.HasPrefix(h.start, []byte("\xff\xfe")), bytes.HasPrefix(h.start, []byte("\xfe\xff")):
		return "" // its first line says it
	case sitemap.Is(h.start):
		return fmt.Sprintf(": it is no list of expectations; if it is a sitemap, write into one: sitemap:%s Googlebot allowed", name)
	case bytes.IndexByte(h.start, 0) >= 0:
		return ": it is no text"
	case robotstxt.NewText(h.start).Lack() == "":
		return fmt.Sprintf(": it is a robots.txt; write -f %s, and after --expect a file whose lines have a URL, a crawler and a verdict", name)
	case (IsURL(first) || strings.HasPrefix(first, "/")) && !strings.ContainsAny(first, " \t,"):
		return ": it is a list of URLs; write a crawler and a verdict behind each, as in: https://example.com/ Googlebot allowed"
	default:
		return ""
	}
}

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
	if len(fields) > 0 && isBrokenList(fields[0]) {
		return e, errors.New("write a list right behind sitemap:, in lower case, as in sitemap:sitemap.xml.gz Googlebot allowed")
	}
	if len(fields) != 3 {
		return e, errors.New("write a URL, a crawler and a verdict, as in: https://example.com/ Googlebot allowed")
	}
	e.URL, e.Crawler = fields[0], fields[1]
	var ok bool
	if e.Allowed, ok = verdictOf(fields[2]); !ok {
		return e, noVerdict(fields[2])
	}
	if e.Tokens, err = judge.ParseAgent(e.Crawler); err != nil {
		return e, fmt.Errorf("%q: %w", e.Crawler, err)
	}
	if doubt := judge.Doubt(e.Crawler, e.Tokens); doubt != "" { // nobody would notice what is as expected of a wrong name
		return e, errors.New(doubt)
	}
	return e, nil
}

// isBrokenList reports whether a field is to name a list of URLs, and does not.
func isBrokenList(field string) bool {
	list, ok := strings.CutPrefix(strings.ToLower(field), "sitemap:")
	return ok && (list == "" || !strings.HasPrefix(field, "sitemap:"))
}

// noVerdict returns the error of a word that is no verdict. One that looks like a verdict has a letter of another
// alphabet.
func noVerdict(word string) error {
	text := fmt.Sprintf("%q is no verdict", word)
	if i := strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(word[i:])
		text += fmt.Sprintf(", since none has %q (U+%04X)", r, r)
	}
	return errors.New(text + ": write allowed or disallowed")
}

// split returns the fields of a line: separated by space, or by commas as in CSV. A comment
// follows space and "#".
func split(text string) []string {
	if i := strings.Index(text, " #"); i >= 0 {
		text = text[:i]
	}
	fields := strings.Fields(text)
	row := cells(text)
	if len(row) != 3 {
		return fields
	}
	if _, ok := verdictOf(row[2]); len(fields) != 3 || ok {
		return row
	}
	return fields
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

func verdictOf(word string) (allowed, ok bool) {
	switch strings.ToLower(word) {
	case "allow", "allowed":
		return true, true
	case "disallow", "disallowed":
		return false, true
	}
	return false, false
}

// Lists reads lists of URLs. A list has one URL a line, or it is a sitemap, which may be
// compressed, or an index of sitemaps.
type Lists struct {
	Std    verb.Streams
	Client *http.Client // fetches sitemaps
}

// ErrEmpty is the error of a list without URLs, where one was asked for.
var ErrEmpty = errors.New("the list is empty: write a URL a line")

// NewLists returns Lists that fetch sitemaps through a transport.
func NewLists(std verb.Streams, transport *polite.Transport) Lists {
	return Lists{std, &http.Client{Transport: transport}}
}

// URLs yields the URLs of a list, as they are written there. The name is that of a file, a
// URL, or "-" for standard input. For what cannot be read, URLs yields an error.
func (l Lists) URLs(ctx context.Context, name string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		in, err := l.open(ctx, name)
		if err != nil {
			yield("", cmp.Or(context.Cause(ctx), err))
			return
		}
		defer in.Close()
		for text, err := range l.urlsIn(ctx, name, in) {
			if !yield(text, cmp.Or(context.Cause(ctx), err)) {
				return
			}
		}
	}
}

func (l Lists) open(ctx context.Context, name string) (io.ReadCloser, error) {
	if !IsURL(name) {
		return OpenFile(ctx, name, l.Std)
	}
	if _, err := URL(name); err != nil {
		return nil, err
	}
	body, err := l.sitemaps().Fetch(ctx, name)
	if err != nil {
		return nil, errorOf(name, err)
	}
	return io.NopCloser(body), nil
}

func (l Lists) sitemaps() sitemap.Reader { return sitemap.Reader{Client: l.Client} }

// urlsIn yields the URLs of a list. It reads no more of one than it must, to know what it is:
// somebody may type it.
func (l Lists) urlsIn(ctx context.Context, name string, r io.Reader) iter.Seq2[string, error] {
	in := bufio.NewReader(r)
	first, _ := in.Peek(1)
	if len(first) == 0 || strings.IndexByte("\x1f\xef\xfe\xff< \t\r\n", first[0]) < 0 {
		return Lines(in)
	}
	if start, _ := in.Peek(64); !sitemap.Is(start) {
		return Lines(in)
	}
	in, err := sitemap.Unpack(in)
	if err != nil {
		return failing(name, err)
	}
	if start, _ := in.Peek(64); !sitemap.Is(start) {
		return Lines(in)
	}
	return l.locations(ctx, name, in)
}

// failing yields the error of a list.
func failing(name string, err error) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { yield("", errorOf(name, err)) }
}

// errorOf returns the error of a list. What robots.txt says of a sitemap is no verdict on a URL,
// so only the text is told.
func errorOf(name string, err error) error {
	if of, ok := errors.AsType[*sitemap.Error](err); ok {
		name, err = of.URL, of.Err
	}
	text := verb.Message(fetch.Plain(err))
	if before, ok := strings.CutSuffix(text, "unexpected EOF"); ok {
		text = before + "it ends too early: get all of it"
	}
	if !IsURL(name) || !strings.Contains(text, verb.Shown(name)) {
		text = nameOf(name) + ": " + text
	}
	return errors.New(text)
}

// locations yields the URLs of a sitemap, or of the sitemaps that it names.
func (l Lists) locations(ctx context.Context, name string, r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for page, err := range l.sitemaps().Follow(ctx, name, r) {
			if err != nil {
				err = errorOf(name, err)
			}
			if !yield(page.URL, err) {
				return
			}
		}
	}
}

// Questions yields the questions that were given. If there are none, it makes one of each
// URL of a list.
func (l Lists) Questions(ctx context.Context, given []judge.Question, list string, question func(line string) judge.Question) iter.Seq[judge.Question] {
	if len(given) > 0 {
		return slices.Values(given)
	}
	return func(yield func(judge.Question) bool) {
		for line, err := range l.URLs(ctx, list) {
			q := judge.Question{Name: nameOf(list), Err: err}
			if err == nil {
				q = question(line)
			}
			if !yield(q) {
				return
			}
		}
	}
}

func nameOf(list string) string {
	if list == "-" {
		return "standard input"
	}
	return verb.Shown(list)
}

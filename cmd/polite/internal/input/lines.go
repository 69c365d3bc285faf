package input

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
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

// Questions yields the questions that were given. If there are none, it makes one of each
// line of standard input.
func Questions(ctx context.Context, given []judge.Question, std verb.Streams, question func(line string) judge.Question) iter.Seq[judge.Question] {
	if len(given) > 0 {
		return slices.Values(given)
	}
	return func(yield func(judge.Question) bool) {
		stdin := std.Input(ctx)
		defer stdin.Close()
		for line, err := range Lines(stdin) {
			q := judge.Question{Name: "standard input", Err: err}
			if err == nil {
				q = question(line)
			}
			if !yield(q) {
				return
			}
		}
	}
}

// List yields the URLs of a list, as they are written there: a file, or standard input if
// the name is "-". The list has one URL a line, or it is a sitemap, which may be compressed.
// For what cannot be read it yields an error.
func List(ctx context.Context, name string, std verb.Streams) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		in, err := OpenFile(ctx, name, std)
		if err != nil {
			yield("", err)
			return
		}
		defer in.Close()
		for text, err := range urlsIn(in) {
			if !yield(text, cmp.Or(context.Cause(ctx), err)) {
				return
			}
		}
	}
}

// OpenFile opens a file, or standard input if the name is "-".
func OpenFile(ctx context.Context, name string, std verb.Streams) (io.ReadCloser, error) {
	if name == "-" {
		return std.Input(ctx), nil
	}
	return await(ctx, func() (io.ReadCloser, error) { return openFile(name) })
}

// urlsIn yields the URLs of a list or of a sitemap.
func urlsIn(r io.Reader) iter.Seq2[string, error] {
	buffer := bufio.NewReader(r)
	if magic, _ := buffer.Peek(2); string(magic) == "\x1f\x8b" {
		plain, err := gzip.NewReader(buffer)
		if err != nil {
			return func(yield func(string, error) bool) { yield("", err) }
		}
		buffer = bufio.NewReader(plain)
	}
	start, _ := buffer.Peek(64)
	if bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\xEF\xBB\xBF"))), []byte("<")) {
		return locations(buffer)
	}
	return Lines(buffer)
}

// maxSitemap is how many bytes of a sitemap are read: more than its protocol allows.
const maxSitemap = 64 << 20

// locations yields the URLs of a sitemap.
func locations(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		decoder := xml.NewDecoder(io.LimitReader(r, maxSitemap))
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield("", err)
				return
			}
			start, ok := token.(xml.StartElement)
			if ok && start.Name.Local == "sitemapindex" {
				yield("", errors.New("this is an index of sitemaps: use one of the sitemaps that it names"))
				return
			}
			if !ok || start.Name.Local != "loc" {
				continue
			}
			var location string
			err = decoder.DecodeElement(&location, &start)
			if !yield(strings.TrimSpace(location), err) || err != nil {
				return
			}
		}
	}
}

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
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
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

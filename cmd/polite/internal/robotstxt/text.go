// Package robotstxt keeps the text of robots.txt files. A decision of package polite
// says what the text means for a request; the text itself shows why.
package robotstxt

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

// A Text is the text of a robots.txt. It is parsed when it is first asked for its
// rules. Make one with [NewText]; it is safe for concurrent use.
type Text struct {
	Body   []byte
	Header http.Header // of the answer that it came with; nil if it was not fetched
	Packed bool        // the site has compressed it

	file func() *robots.File
	lack func() Lack
}

// NewText returns the Text with this body, which must not be changed any more.
func NewText(body []byte) *Text {
	return &Text{
		Body: body,
		file: sync.OnceValue(func() *robots.File { return robots.Parse(body) }),
		lack: sync.OnceValue(func() Lack { return lackOf(body) }),
	}
}

// File returns the text as package robots reads it.
func (t *Text) File() *robots.File { return t.file() }

// Rules returns the rules for a crawler with these product tokens.
func (t *Text) Rules(tokens ...string) robots.Rules { return t.file().Rules(tokens...) }

// Lack returns why the text has rules for nobody.
func (t *Text) Lack() Lack { return t.lack() }

// A Lack is why a text has rules for nobody.
type Lack int

const (
	NoLack     Lack = iota // it has groups
	HTML                   // it is a web page
	UTF16                  // it is UTF-16
	Compressed             // it is compressed
	NoGroups               // it is none of these, but has no groups
)

func lackOf(body []byte) Lack {
	for _, line := range robots.Lines(body) {
		if len(line) > 0 && namesAnyone(line) {
			return NoLack
		}
	}
	for _, f := range lint.Lint(body) {
		switch f.ID {
		case "html":
			return HTML
		case "utf-16":
			return UTF16
		case "compressed":
			return Compressed
		}
	}
	return NoGroups
}

// namesAnyone reports whether a line is a user-agent line that names a crawler. Then
// a record that follows it is in a group.
func namesAnyone(line []byte) bool {
	f := robots.Parse(slices.Concat(line, []byte("\nx: y")))
	for r := range f.Records() {
		if len(f.Agents(r)) > 0 {
			return true
		}
	}
	return false
}

// Everywhere is the text of a robots.txt that every site has. As a RoundTripper it
// answers each request with this text, and needs no network.
type Everywhere []byte

// RoundTrip answers with the text.
func (e Everywhere) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(e)), ContentLength: int64(len(e)),
		Request: req,
	}, nil
}

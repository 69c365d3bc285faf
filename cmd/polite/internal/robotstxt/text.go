// Package robotstxt keeps the text of robots.txt files. A decision of package polite
// says what the text means for a request; the text itself shows why.
package robotstxt

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
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
}

// NewText returns the Text with this body, which must not be changed any more.
func NewText(body []byte) *Text {
	return &Text{
		Body: body,
		file: sync.OnceValue(func() *robots.File { return robots.Parse(body) }),
	}
}

// File returns the text as package robots reads it.
func (t *Text) File() *robots.File { return t.file() }

// Rules returns the rules for a crawler with these product tokens.
func (t *Text) Rules(tokens ...string) robots.Rules { return t.file().Rules(tokens...) }

// Lack says what a text is that has rules for nobody. It is "" if the text has groups.
func (t *Text) Lack() string {
	for range t.File().Named() {
		return ""
	}
	return cmp.Or(lint.Format(t.Body), NoGroups)
}

// NoGroups is the Lack of a text that might have groups.
const NoGroups = "without groups"

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

// Package robotstxt keeps the text of robots.txt files. A decision of package polite
// says what the text means for a request; the text itself shows why.
package robotstxt

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"sync"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

// A Text is the text of a robots.txt. It is parsed when it is first asked for its
// rules. Make one with [NewText]; it is safe for concurrent use.
type Text struct {
	Body   []byte
	Header http.Header // of the answer that it came with; nil if it was not fetched
	Packed bool        // the site has compressed it

	file  func() *robots.File
	lines func() [][]byte
	lack  func() string
	named sync.Map // by the token of a group, the numbers of the lines that name it
}

// NewText returns the Text with this body, which must not be changed any more.
func NewText(body []byte) *Text {
	t := &Text{
		Body: body,
		file: sync.OnceValue(func() *robots.File { return robots.Parse(body) }),
	}
	t.lines = sync.OnceValue(func() (lines [][]byte) {
		for _, line := range robots.Lines(body) {
			lines = append(lines, line)
		}
		return lines
	})
	t.lack = sync.OnceValue(func() string {
		for range t.File().Named() {
			return ""
		}
		return cmp.Or(lint.Format(body), NoGroups)
	})
	return t
}

// Line returns the line with a number, from 1.
func (t *Text) Line(number int) string { return string(t.lines()[number-1]) }

// NamedBy returns the numbers of the lines that name the group of rules, which are of this text.
func (t *Text) NamedBy(rules robots.Rules) []int {
	if known, ok := t.named.Load(rules.Agent()); ok {
		return known.([]int)
	}
	var named []int
	for i, line := range t.lines() {
		if rules.NamedBy(line) {
			named = append(named, i+1)
		}
	}
	t.named.Store(rules.Agent(), named)
	return named
}

// File returns the text as package robots reads it.
func (t *Text) File() *robots.File { return t.file() }

// Rules returns the rules for a crawler with these product tokens.
func (t *Text) Rules(tokens ...string) robots.Rules { return t.file().Rules(tokens...) }

// Lack says what a text is that has rules for nobody. It is "" if the text has groups.
func (t *Text) Lack() string { return t.lack() }

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

// A Tap is a RoundTripper that keeps the text of each robots.txt that is read
// through it. Package polite drops the text as soon as it has the rules, but who asks
// for the reasons needs it. A Tap is safe for concurrent use.
type Tap struct {
	Base http.RoundTripper

	mu    sync.Mutex
	texts map[string]*Text // by URL
	urls  []string         // of texts, the oldest first
	size  int              // of both
}

// TapOf returns base if it is a Tap, so that its texts are at hand, or else a new Tap of it.
func TapOf(base http.RoundTripper) *Tap {
	if tap, ok := base.(*Tap); ok {
		return tap
	}
	return &Tap{Base: base}
}

// maxTapped is how many bytes a Tap keeps.
const maxTapped = 64 << 20

// RoundTrip sends the request through Base.
func (t *Tap) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.Base.RoundTrip(req)
	if err == nil && resp.StatusCode/100 == 2 {
		packed := resp.Uncompressed || resp.Header.Get("Content-Encoding") != ""
		resp.Body = &tapped{ReadCloser: resp.Body, tap: t, url: req.URL.String(), header: resp.Header, packed: packed}
	}
	return resp, err
}

// Text returns the text that a decision rests on, or nil if it was not kept. The
// text may be a newer one of the same URL.
func (t *Tap) Text(d polite.Decision) *Text {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.texts[At(d)]
}

// At returns the URL that the answer came from on which a decision rests, after all redirects.
func At(d polite.Decision) string {
	if len(d.Hops) == 0 {
		return d.RobotsURL
	}
	return d.Hops[len(d.Hops)-1]
}

// IsRead reports whether a decision rests on a robots.txt that polite could read.
func IsRead(d polite.Decision) bool {
	return d.Reason == polite.ReasonRule || d.Reason == polite.ReasonNoRule
}

func (t *Tap) keep(url string, text *Text) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.texts[url]; ok {
		t.size -= tappedSize(url, old)
	} else {
		t.urls = append(t.urls, url)
	}
	if t.texts == nil {
		t.texts = make(map[string]*Text)
	}
	t.texts[url] = text
	for t.size += tappedSize(url, t.texts[url]); t.size > maxTapped; t.urls = t.urls[1:] {
		t.size -= tappedSize(t.urls[0], t.texts[t.urls[0]])
		delete(t.texts, t.urls[0])
	}
}

// tappedSize returns about how many bytes of memory a text takes, with its place in
// the map, its header, its lines and its parsed form.
func tappedSize(url string, t *Text) int {
	size := 500 + 2*len(url) + 5*len(t.Body) + 32*bytes.Count(t.Body, []byte("\n"))
	for name, values := range t.Header {
		for _, value := range values {
			size += 100 + len(name) + len(value)
		}
	}
	return size
}

// A tapped is the body of a response, whose text is kept when it is closed. A body that
// comes too slowly is closed while it is read.
type tapped struct {
	io.ReadCloser
	tap    *Tap
	url    string
	header http.Header
	packed bool

	mu   sync.Mutex
	read []byte
}

func (b *tapped) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read = append(b.read, p[:n]...)
	return n, err
}

func (b *tapped) Close() error {
	b.keep()
	return b.ReadCloser.Close()
}

// keep keeps what was read.
func (b *tapped) keep() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if body, err := fetch.ReadBody(b.header, bytes.NewReader(b.read)); err == nil {
		text := NewText(body)
		text.Header, text.Packed = b.header, b.packed
		b.tap.keep(b.url, text)
	}
}

package robotstxt

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/fetch"
)

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
		resp.Body = &tapped{ReadCloser: resp.Body, tap: t, url: req.URL.String(), header: resp.Header, packed: isPacked(resp)}
	}
	return resp, err
}

// isPacked reports whether the site has compressed its answer.
func isPacked(resp *http.Response) bool {
	return resp.Uncompressed || resp.Header.Get("Content-Encoding") != ""
}

// Text returns the text that a decision rests on, or nil if it was not kept. The
// text may be a newer one of the same URL.
func (t *Tap) Text(d polite.Decision) *Text {
	url := d.RobotsURL
	if len(d.Hops) > 0 {
		url = d.Hops[len(d.Hops)-1]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.texts[url]
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
// the map, its header and its parsed form.
func tappedSize(url string, t *Text) int {
	size := 500 + 2*len(url) + 5*len(t.Body)
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

package main

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/go-polite/polite/internal/fetch"
)

// A tap is a RoundTripper that keeps the bodies which pass through it: polite
// has no use for the text of a robots.txt once it is read, but whoever wants to
// know why has.
type tap struct {
	base  http.RoundTripper
	keeps bool // anything at all

	mu    sync.Mutex
	texts map[string]*robotsText // by URL
	urls  []string               // of texts, the oldest first
	size  int                    // of both
}

// maxTapped is how many bytes are kept.
const maxTapped = 64 << 20

func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	if err == nil && t.keeps && resp.StatusCode/100 == 2 {
		resp.Body = &tapped{ReadCloser: resp.Body, tap: t, url: req.URL.String(), header: resp.Header}
	}
	return resp, err
}

// text returns the last text of a URL, or nil if it is not kept.
func (t *tap) text(url string) *robotsText {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.texts[url]
}

func (t *tap) keep(url string, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.texts[url]; ok {
		t.size -= tappedSize(url, old)
	} else {
		t.urls = append(t.urls, url)
	}
	if t.texts == nil {
		t.texts = make(map[string]*robotsText)
	}
	t.texts[url] = newText(body)
	for t.size += tappedSize(url, t.texts[url]); t.size > maxTapped; t.urls = t.urls[1:] {
		t.size -= tappedSize(t.urls[0], t.texts[t.urls[0]])
		delete(t.texts, t.urls[0])
	}
}

// tappedSize returns about how many bytes of memory a text takes with its place in
// the map, and with what is known of it.
func tappedSize(url string, t *robotsText) int { return 500 + 2*len(url) + 5*len(t.body) }

// A tapped is a body of which the tap keeps what is read.
type tapped struct {
	io.ReadCloser
	tap    *tap
	url    string
	header http.Header
	read   []byte
}

func (b *tapped) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read = append(b.read, p[:n]...)
	return n, err
}

func (b *tapped) Close() error {
	if body, err := fetch.ReadBody(b.header, bytes.NewReader(b.read)); err == nil {
		b.tap.keep(b.url, body)
	}
	return b.ReadCloser.Close()
}

// A file is a RoundTripper that answers for every site with the same robots.txt.
// It needs no network.
type file []byte

func (f file) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(f)), ContentLength: int64(len(f)),
		Request: req,
	}, nil
}

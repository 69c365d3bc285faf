package main

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// A tap is a RoundTripper that keeps the bodies which pass through it: polite
// has no use for the text of a robots.txt once it is read, but whoever wants to
// know why has.
type tap struct {
	base http.RoundTripper

	mu     sync.Mutex
	bodies map[string][]byte // by URL
	urls   []string          // of bodies, the oldest first
	size   int               // of bodies
}

// maxTapped is how many bytes of bodies are kept.
const maxTapped = 64 << 20

func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	if err == nil && resp.StatusCode/100 == 2 {
		resp.Body = &tapped{ReadCloser: resp.Body, tap: t, url: req.URL.String(), read: []byte{}}
	}
	return resp, err
}

// body returns the last body of a URL, or nil if it is not kept.
func (t *tap) body(url string) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bodies[url]
}

func (t *tap) keep(url string, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.bodies[url]; ok {
		t.size -= len(old)
	} else {
		t.urls = append(t.urls, url)
	}
	if t.bodies == nil {
		t.bodies = make(map[string][]byte)
	}
	t.bodies[url] = body
	for t.size += len(body); t.size > maxTapped; t.urls = t.urls[1:] {
		t.size -= len(t.bodies[t.urls[0]])
		delete(t.bodies, t.urls[0])
	}
}

// A tapped is a body of which the tap keeps what is read.
type tapped struct {
	io.ReadCloser
	tap  *tap
	url  string
	read []byte // not nil, which would be that nothing is kept
}

func (b *tapped) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read = append(b.read, p[:n]...)
	return n, err
}

func (b *tapped) Close() error {
	b.tap.keep(b.url, b.read)
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

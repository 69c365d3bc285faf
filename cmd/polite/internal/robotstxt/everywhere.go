package robotstxt

import (
	"bytes"
	"io"
	"net/http"
)

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

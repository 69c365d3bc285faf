package origintest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// A RoundTripper is a Base that is one function. It is for what a Server cannot show: bases that fail in
// ways of their own, and crowds of sites that would each take a connection.
type RoundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls r.
func (r RoundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// Response returns what a RoundTripper answers: a status, a body, and a header of names and values.
func Response(req *http.Request, status int, body string, header ...string) *http.Response {
	resp := &http.Response{
		StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(body)),
		Header: make(http.Header), Body: http.NoBody, Request: req,
	}
	if body != "" {
		resp.Body = io.NopCloser(strings.NewReader(body))
	}
	for i := 0; i+1 < len(header); i += 2 {
		resp.Header.Add(header[i], header[i+1])
	}
	return resp
}

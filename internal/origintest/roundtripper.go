package origintest

import "net/http"

// A RoundTripper is a Base that is one function.
type RoundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls r.
func (r RoundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

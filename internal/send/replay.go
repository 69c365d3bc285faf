package send

import "net/http"

// Replayable reports whether req can be sent again.
func Replayable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

// Again returns req in a form that can be sent again. req is replayable, and its body
// was closed.
func Again(req *http.Request) *http.Request {
	if req.GetBody == nil {
		return req
	}
	body, err := req.GetBody()
	if err != nil {
		body = broken{err}
	}
	req = req.WithContext(req.Context())
	req.Body = body
	return req
}

// broken is a body that GetBody has not returned.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
func (b broken) Close() error             { return nil }

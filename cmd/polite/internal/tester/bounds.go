package tester

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"
)

// The bounds of a request.
const (
	mostBytes    = 16 << 20 // of all of it
	mostText     = 2 << 20  // of each robots.txt
	mostRequest  = 6 << 20  // of the part with the question
	mostURLs     = 10_000
	mostURLBytes = 4 << 20 // of all URLs together
	mostAtWork   = 4       // requests; others wait
	mostPatience = 10 * time.Second
	mostExported = 64 << 20 // bytes of an export
)

// A failure is an error that is the caller's, with the status of the answer.
type failure struct {
	status int
	text   string
}

func (f failure) Error() string { return f.text }

func bad(format string, args ...any) error {
	return failure{http.StatusBadRequest, fmt.Errorf(format, args...).Error()}
}

// atWork waits until there is room for another request at work. When the work is done, call
// done.
func (s *Server) atWork(ctx context.Context) (done func(), err error) {
	patience := time.NewTimer(mostPatience)
	defer patience.Stop()
	select {
	case s.work <- struct{}{}:
		return func() { <-s.work }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-patience.C:
		return nil, failure{http.StatusServiceUnavailable, "The tester is busy with other requests: try again."}
	}
}

// parts reads a form with these parts, and no others. Each may occur once.
func parts(w http.ResponseWriter, r *http.Request, most map[string]int64) (map[string][]byte, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, failure{http.StatusUnsupportedMediaType, "Send multipart/form-data with a boundary."}
	}
	read := make(map[string][]byte)
	form := multipart.NewReader(http.MaxBytesReader(w, r.Body, mostBytes), params["boundary"])
	for {
		part, err := form.NextRawPart()
		if err == io.EOF {
			return read, nil
		}
		if err != nil {
			return nil, badForm(err)
		}
		name := part.FormName()
		limit, ok := most[name]
		if _, again := read[name]; !ok || again {
			return nil, bad("The part %q is unknown, or occurs twice.", name)
		}
		if read[name], err = io.ReadAll(io.LimitReader(part, limit+1)); err != nil {
			return nil, badForm(err)
		}
		if int64(len(read[name])) > limit {
			return nil, failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("The part %q is larger than %d bytes: send less.", name, limit)}
		}
	}
}

func badForm(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("The request is larger than %d bytes: send less.", mostBytes)}
	}
	return bad("The form cannot be read: send it whole.")
}

package tester

import (
	"fmt"
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

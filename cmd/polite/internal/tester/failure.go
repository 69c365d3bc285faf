package tester

import (
	"fmt"
	"net/http"
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

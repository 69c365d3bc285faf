package verb

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-polite/polite/internal/printable"
)

// A misuse is the error of a command that makes no sense.
type misuse struct {
	error
	hint string // what to do instead
}

// Misused returns the error for a use of a verb that makes no sense. It is told with
// a hint at the verb's help.
func Misused(verb string, err error) error {
	return misuse{err, fmt.Sprintf("\"polite help %s\" tells how to use it.", verb)}
}

type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

// Unread returns err as the error for a robots.txt that could not be fetched or read.
func Unread(err error) error { return unreadable{err} }

// Message returns the text of err, made printable. It leaves out the name of package
// polite, which is also the command's.
func Message(err error) string {
	if err == nil {
		return ""
	}
	return printable.Text(strings.TrimPrefix(err.Error(), "polite: "))
}

// Cause returns err without the URL that net/url and net/http write before it.
func Cause(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

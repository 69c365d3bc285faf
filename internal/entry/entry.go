// Package entry has the form in which a Store keeps what an origin answered when it was
// asked for robots.txt. An entry says only what came back and how long ago. Each reader
// judges by its own Policy what this means, and when to ask again.
//
// Encoded, an entry has a magic number with the version of the form, a checksum, a
// header in JSON and the body of robots.txt. The checksum is over the key, too: an entry
// that is kept under another key is damaged.
package entry

import (
	"time"

	"github.com/go-polite/polite/internal/fetch"
)

// An Entry is what is known of an origin. All its times are from before it was written.
type Entry struct {
	Answer  *Answer  // the last one to rely on; nil if there is none
	Failure *Failure // the tries since then; nil if there was none
}

// An Answer says what the site wants: its rules, or that it has none.
type Answer struct {
	Since            time.Duration // how long ago it came, or was confirmed
	Status           int
	Hops             []string
	Beyond           string // where the last hop redirects to, if that was not followed
	TooManyRedirects bool
	MaxAge           time.Duration // negative if the site did not say
	Validators       fetch.Validators
	Body             []byte // the part that is parsed, and a byte more if there is more
}

// A Failure is the tries that brought no answer to rely on.
type Failure struct {
	Since      time.Duration // how long ago the first of them was
	Tries      int
	Status     int // of the last; 0 if none came
	Hops       []string
	Beyond     string
	Err        string        // "" if the status is all that is wrong
	TimedOut   time.Duration // how long a fetch was let go on, if this ended the last; else 0
	RetryAfter time.Duration
}

// Err returns the error that came with the answer, or nil.
func (a *Answer) Err() error {
	if a.TooManyRedirects {
		return fetch.ErrTooManyRedirects
	}
	return nil
}

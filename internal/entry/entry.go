// Package entry has the form in which a Store keeps what an origin answered when it was
// asked for robots.txt. An entry says only what came back and how long ago. Each reader
// judges by its own Policy what this means, and when to ask again.
//
// Encoded, an entry has a magic number with the version of the form, a checksum, a
// header in JSON and the body of robots.txt. The checksum is over the key, too: an entry
// that is kept under another key is damaged.
package entry

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
)

// An Entry is what is known of an origin. All its times are from before it was written.
type Entry struct {
	Answer  *Answer  // the last one to rely on; nil if there is none
	Failure *Failure // the tries since then; nil if there was none
}

// An Answer says what the site wants: its rules, or that it has none.
type Answer struct {
	Since            time.Duration    `json:"-"` // how long ago it came, or was confirmed
	Status           int              `json:"s"`
	Hops             []string         `json:"h,omitempty"`
	Beyond           string           `json:"b,omitempty"` // where the last hop redirects to, if that was not followed
	TooManyRedirects bool             `json:"r,omitempty"`
	MaxAge           time.Duration    `json:"-"` // negative if the site did not say
	Validators       fetch.Validators `json:"-"`
	Body             []byte           `json:"-"` // the part that is parsed, and a byte more if there is more
}

// A Failure is the tries that brought no answer to rely on.
type Failure struct {
	Since      time.Duration `json:"-"` // how long ago the first of them was
	Tries      int           `json:"n"`
	Status     int           `json:"s,omitempty"` // of the last; 0 if none came
	Hops       []string      `json:"h,omitempty"`
	Beyond     string        `json:"b,omitempty"`
	Err        string        `json:"e,omitempty"` // "" if the status is all that is wrong
	TimedOut   time.Duration `json:"-"`           // how long a fetch was let go on, if this ended the last; else 0
	RetryAfter time.Duration `json:"-"`
}

// Err returns the error that came with the answer, or nil.
func (a *Answer) Err() error {
	if a.TooManyRedirects {
		return fetch.ErrTooManyRedirects
	}
	return nil
}

// magic begins each entry. Its last octet is the version of the form.
const magic = "plt\x01"

const (
	sumSize    = 16
	prefixSize = len(magic) + sumSize + 4 // and the length of the header

	// Shorter bodies are kept as they are.
	worthDeflating = 1 << 10
)

// A header is what an entry has besides the body. Durations are in milliseconds.
type header struct {
	Answer   *answer  `json:"a,omitempty"`
	Failure  *failure `json:"f,omitempty"`
	Deflated bool     `json:"z,omitempty"`
}

type answer struct {
	Since int64 `json:"t"`
	Answer
	MaxAge       *int64 `json:"m,omitempty"`
	URL          string `json:"u,omitempty"`
	ETag         string `json:"e,omitempty"`
	LastModified string `json:"l,omitempty"`
}

type failure struct {
	Since int64 `json:"t"`
	Failure
	TimedOut   int64 `json:"o,omitempty"`
	RetryAfter int64 `json:"w,omitempty"`
}

// checksum returns the checksum of an encoded entry b under key.
func checksum(key string, b []byte) [sumSize]byte {
	h := sha256.New()
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(key)))
	h.Write(length[:])
	h.Write([]byte(key))
	h.Write(b[len(magic)+sumSize:])
	return [sumSize]byte(h.Sum(nil))
}

func milliseconds(n int64) time.Duration {
	const most = int64(longest / time.Millisecond)
	return time.Duration(min(max(n, 0), most)) * time.Millisecond
}

// longest is the longest time that an entry can tell.
const longest = 100 * 365 * 24 * time.Hour

// Key returns the key of the entry of o in a Store. A site may have another robots.txt
// for each crawler, so agent, a product token in lower case, is part of it.
func Key(agent string, o origin.Origin) string { return agent + " " + o.Key() }

// OriginOf returns the origin whose entry has that key. It returns false if there is no
// such origin.
func OriginOf(key string) (o origin.Origin, ok bool) {
	_, rest := Parts(key)
	o, err := origin.OfKey(rest)
	return o, err == nil
}

// Parts returns the product token and the origin, as they are written, of which a key is
// made.
func Parts(key string) (agent, origin string) {
	agent, origin, _ = strings.Cut(key, " ") // no product token has a space
	return agent, origin
}

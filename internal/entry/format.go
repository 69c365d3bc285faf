package entry

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

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
	Since        int64    `json:"t"`
	Status       int      `json:"s"`
	Hops         []string `json:"h,omitempty"`
	Beyond       string   `json:"b,omitempty"`
	TooMany      bool     `json:"r,omitempty"`
	MaxAge       *int64   `json:"m,omitempty"`
	URL          string   `json:"u,omitempty"`
	ETag         string   `json:"e,omitempty"`
	LastModified string   `json:"l,omitempty"`
}

type failure struct {
	Since      int64    `json:"t"`
	Tries      int      `json:"n"`
	Status     int      `json:"s,omitempty"`
	Hops       []string `json:"h,omitempty"`
	Beyond     string   `json:"b,omitempty"`
	Err        string   `json:"e,omitempty"`
	TimedOut   int64    `json:"o,omitempty"`
	RetryAfter int64    `json:"w,omitempty"`
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

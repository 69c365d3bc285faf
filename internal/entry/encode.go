package entry

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
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
	Err        string   `json:"e,omitempty"`
	RetryAfter int64    `json:"w,omitempty"`
}

// Encode returns the form of e that is kept under key.
func (e *Entry) Encode(key string) []byte { return new(Coder).Encode(e, key) }

// Encode returns the form of e that is kept under key.
func (c *Coder) Encode(e *Entry, key string) []byte {
	h, body := e.header()
	if small := c.deflated(body); small != nil {
		h.Deflated, body = true, small
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil // never: h has only texts and numbers
	}
	b := make([]byte, prefixSize, prefixSize+len(text)+len(body))
	copy(b, magic)
	binary.BigEndian.PutUint32(b[prefixSize-4:], uint32(len(text)))
	b = append(append(b, text...), body...)
	sum := checksum(key, b)
	copy(b[len(magic):], sum[:])
	return b
}

func (e *Entry) header() (h header, body []byte) {
	if a := e.Answer; a != nil {
		h.Answer = &answer{
			Since: a.Since.Milliseconds(), Status: a.Status, Hops: a.Hops, TooMany: a.TooManyRedirects,
			URL: a.Validators.URL, ETag: a.Validators.ETag, LastModified: a.Validators.LastModified,
		}
		if a.MaxAge >= 0 {
			age := a.MaxAge.Milliseconds()
			h.Answer.MaxAge = &age
		}
		body = a.Body
	}
	if f := e.Failure; f != nil {
		h.Failure = &failure{
			Since: f.Since.Milliseconds(), Tries: f.Tries, Status: f.Status, Hops: f.Hops, Err: f.Err,
			RetryAfter: f.RetryAfter.Milliseconds(),
		}
	}
	return h, body
}

// deflated returns a shorter form of body, or nil if it is not worth it.
func (c *Coder) deflated(body []byte) []byte {
	if len(body) < worthDeflating {
		return nil
	}
	var b bytes.Buffer
	w := c.writer(&b)
	w.Write(body)
	w.Close()
	c.writers.Put(w)
	if b.Len() > len(body)*7/8 {
		return nil
	}
	return b.Bytes()
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

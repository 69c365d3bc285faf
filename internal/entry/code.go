package entry

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"unicode"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/quota"
	"github.com/go-polite/polite/robots"
)

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
		h.Answer = &answer{Since: a.Since.Milliseconds(), Answer: *a, URL: a.Validators.URL, ETag: a.Validators.ETag, LastModified: a.Validators.LastModified}
		if a.MaxAge >= 0 {
			age := a.MaxAge.Milliseconds()
			h.Answer.MaxAge = &age
		}
		body = a.Body
	}
	if f := e.Failure; f != nil {
		h.Failure = &failure{Since: f.Since.Milliseconds(), Failure: *f, TimedOut: f.TimedOut.Milliseconds(), RetryAfter: f.RetryAfter.Milliseconds()}
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

const (
	maxBody   = robots.MaxSize + 1
	maxHeader = 256 << 10
	maxTries  = 1 << 20
)

// ErrDamaged says that an entry is not as it was written, or of another version, or kept
// under another key.
var ErrDamaged = errors.New("the entry is damaged, or not of this version")

// Decode reads an entry: see [Coder.Decode].
func Decode(key string, b []byte) (*Entry, error) { return new(Coder).Decode(key, b) }

// Decode reads an entry that was kept under key. It trusts nothing in it: what it
// returns is within bounds, and its texts are safe to show. The Body may be a part of b.
// The error is ErrDamaged.
func (c *Coder) Decode(key string, b []byte) (*Entry, error) {
	if len(b) < prefixSize || len(b) > prefixSize+maxHeader+maxBody || string(b[:len(magic)]) != magic {
		return nil, ErrDamaged
	}
	if sum := checksum(key, b); !bytes.Equal(sum[:], b[len(magic):][:sumSize]) {
		return nil, ErrDamaged
	}
	n := binary.BigEndian.Uint32(b[prefixSize-4:])
	rest := b[prefixSize:]
	if uint64(n) > uint64(len(rest)) {
		return nil, ErrDamaged
	}
	var h header
	if json.Unmarshal(rest[:n], &h) != nil || h.Answer == nil && h.Failure == nil {
		return nil, ErrDamaged
	}
	e := &Entry{Failure: h.Failure.read()}
	if h.Answer == nil {
		return e, nil
	}
	body, err := c.inflated(rest[n:], h.Deflated)
	if err != nil {
		return nil, err
	}
	e.Answer = h.Answer.read()
	e.Answer.Body = body
	return e, nil
}

func (a *answer) read() *Answer {
	r := &a.Answer
	r.Since, r.Status, r.Hops, r.Beyond, r.MaxAge = milliseconds(a.Since), status(r.Status), urls(r.Hops), printable.URL(r.Beyond), -1
	if a.MaxAge != nil {
		r.MaxAge = milliseconds(*a.MaxAge)
	}
	if !strings.ContainsFunc(a.ETag+a.LastModified, unicode.IsControl) { // else no header can have them
		r.Validators = fetch.Validators{URL: a.URL, ETag: a.ETag, LastModified: a.LastModified}
	}
	return r
}

func (f *failure) read() *Failure {
	if f == nil {
		return nil
	}
	r := &f.Failure
	r.Since, r.Status, r.Hops, r.Beyond, r.Err = milliseconds(f.Since), status(r.Status), urls(r.Hops), printable.URL(r.Beyond), printable.Text(r.Err)
	r.Tries, r.TimedOut = min(max(r.Tries, 1), maxTries), milliseconds(f.TimedOut)
	r.RetryAfter = min(milliseconds(f.RetryAfter), quota.MaxRetryAfter)
	return r
}

// status returns n if it can be the status of an answer, or 0.
func status(n int) int {
	if n < 100 || n > 999 {
		return 0
	}
	return n
}

func urls(hops []string) []string {
	for i, hop := range hops {
		hops[i] = printable.URL(hop)
	}
	return hops
}

// inflated returns the body as it came from the site. It may be b.
func (c *Coder) inflated(b []byte, isDeflated bool) ([]byte, error) {
	if !isDeflated {
		if len(b) > maxBody {
			return nil, ErrDamaged
		}
		return b, nil
	}
	r := c.reader(b)
	defer c.readers.Put(r)
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil || len(body) > maxBody {
		return nil, ErrDamaged
	}
	return body, nil
}

// A Coder encodes and decodes entries. It keeps what compressing takes, which is a
// megabyte, for the next entry. The zero Coder is ready for use. It is safe for
// concurrent use. Do not copy it.
type Coder struct{ writers, readers sync.Pool }

// writer returns a writer that compresses to b.
func (c *Coder) writer(b *bytes.Buffer) *flate.Writer {
	if w, ok := c.writers.Get().(*flate.Writer); ok {
		w.Reset(b)
		return w
	}
	w, _ := flate.NewWriter(b, flate.BestSpeed) // the level is one that there is
	return w
}

// reader returns a reader of what b was before it was compressed.
func (c *Coder) reader(b []byte) io.Reader {
	if r, ok := c.readers.Get().(io.Reader); ok {
		r.(flate.Resetter).Reset(bytes.NewReader(b), nil)
		return r
	}
	return flate.NewReader(bytes.NewReader(b))
}

package entry

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/quota"
	"github.com/go-polite/polite/robots"
)

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
	r := &Answer{
		Since: milliseconds(a.Since), Status: status(a.Status), Hops: urls(a.Hops), Beyond: printable.URL(a.Beyond), TooManyRedirects: a.TooMany, MaxAge: -1,
		Validators: fetch.Validators{URL: a.URL, ETag: a.ETag, LastModified: a.LastModified},
	}
	if a.MaxAge != nil {
		r.MaxAge = milliseconds(*a.MaxAge)
	}
	if strings.ContainsFunc(a.ETag+a.LastModified, unicode.IsControl) {
		r.Validators = fetch.Validators{} // no header can have them
	}
	return r
}

func (f *failure) read() *Failure {
	if f == nil {
		return nil
	}
	return &Failure{
		Since: milliseconds(f.Since), Tries: min(max(f.Tries, 1), maxTries), Status: status(f.Status), Hops: urls(f.Hops), Beyond: printable.URL(f.Beyond),
		Err: printable.Text(f.Err), TimedOut: milliseconds(f.TimedOut), RetryAfter: min(milliseconds(f.RetryAfter), quota.MaxRetryAfter),
	}
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

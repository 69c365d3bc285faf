package entry

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
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
		h.Answer = &answer{
			Since: a.Since.Milliseconds(), Status: a.Status, Hops: a.Hops, Beyond: a.Beyond, TooMany: a.TooManyRedirects,
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
			Since: f.Since.Milliseconds(), Tries: f.Tries, Status: f.Status, Hops: f.Hops, Beyond: f.Beyond, Err: f.Err,
			TimedOut: f.TimedOut.Milliseconds(), RetryAfter: f.RetryAfter.Milliseconds(),
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

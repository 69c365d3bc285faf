package entry

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"
)

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

package pace

import "io"

// Until returns body with done to be called when it is closed or has come to its
// end, be that EOF or another error. If body can be written to, as after 101
// Switching Protocols, so can the result.
func Until(body io.ReadCloser, done func()) io.ReadCloser {
	held := &held{body, done}
	if w, ok := body.(io.Writer); ok {
		return struct {
			*heldOpen
			io.Writer
		}{&heldOpen{held}, w}
	}
	return held
}

type held struct {
	io.ReadCloser
	done func()
}

func (b *held) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if err != nil {
		b.done()
	}
	return n, err
}

func (b *held) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}

// heldOpen is of a connection, whose other half is open after the end of this.
type heldOpen struct{ held *held }

func (b *heldOpen) Read(p []byte) (n int, err error) { return b.held.ReadCloser.Read(p) }

func (b *heldOpen) Close() error { return b.held.Close() }

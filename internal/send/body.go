package send

import (
	"errors"
	"fmt"
	"io"
)

// Until returns body. It calls done when body is closed, or when a read returns EOF or
// another error.
func Until(body io.ReadCloser, done func()) io.ReadCloser { return &untilDone{body, done} }

type untilDone struct {
	io.ReadCloser
	done func()
}

func (b *untilDone) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if err != nil {
		b.done()
	}
	return n, err
}

func (b *untilDone) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}

// UntilClosed returns conn. It calls done when conn is closed. At EOF it does not,
// since conn may still be written to.
func UntilClosed(conn io.ReadWriteCloser, done func()) io.ReadWriteCloser { return &open{conn, done} }

type open struct {
	io.ReadWriteCloser
	done func()
}

func (c *open) Close() error {
	defer c.done()
	return c.ReadWriteCloser.Close()
}

// CloseWrite closes the half of conn that is written to, if conn has halves. The
// connections of net/http have.
func (c *open) CloseWrite() error {
	if half, ok := c.ReadWriteCloser.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return fmt.Errorf("CloseWrite: %w", errors.ErrUnsupported)
}

// Package stamps tells when a request arrived. On Linux it is when the kernel received it,
// however late the server reads it.
package stamps

import (
	"context"
	"net"
	"time"
)

// Listen listens on a TCP address. What Accept returns is a [*Conn].
func Listen(ctx context.Context, address string) (net.Listener, error) {
	config := net.ListenConfig{Control: stamp}
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return listener{l}, nil
}

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &Conn{Conn: conn}, nil
}

// A Conn is a connection that one goroutine reads at a time.
type Conn struct {
	net.Conn
	At time.Time // when what was read last had arrived, by the time of day
}

// Read reads what has arrived, and sets At.
func (c *Conn) Read(p []byte) (n int, err error) {
	n, at, err := receive(c.Conn, p)
	if n > 0 {
		c.At = at
	}
	return n, err
}

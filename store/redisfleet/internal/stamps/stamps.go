// Package stamps tells when a request arrived. On Linux it is when the kernel received it,
// however late the server reads it.
package stamps

import (
	"context"
	"net"
	"sync"
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

// A Conn is a connection that tells when each request arrived.
type Conn struct {
	net.Conn

	mu    sync.Mutex
	first time.Time // of the request that is arriving; zero: none is
}

// Read reads what has arrived.
func (c *Conn) Read(p []byte) (n int, err error) {
	n, at, err := receive(c.Conn, p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 && c.first.IsZero() {
		c.first = at
	}
	return n, err
}

// Arrived returns when the first byte since the last call of Arrived came, by the time of
// day. What is read from now on is the next request's.
func (c *Conn) Arrived() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.first
	c.first = time.Time{}
	if at.IsZero() { // two requests came in one packet
		at = time.Now()
	}
	return at
}

package stage

import (
	"net"
	"sync"
	"time"

	"github.com/go-polite/polite/store/redisfleet/internal/stamps"
)

// connKey is the key of the connection in the context of a request.
type connKey struct{}

type watchedListener struct{ net.Listener }

func (l watchedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &watchedConn{Conn: c, stamped: c.(*stamps.Conn)}, nil
}

// A watchedConn notes when the first byte of each request arrived: by the kernel's stamp,
// where there is one, and else before net/http has read the request.
type watchedConn struct {
	net.Conn
	stamped *stamps.Conn
	mu      sync.Mutex
	first   time.Time // of the request that is arriving; zero: none is
}

func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.stamped.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 && c.first.IsZero() {
		c.first = c.stamped.At
	}
	return n, err
}

// take returns when the request arrived. What is read from now on is the next one's.
func (c *watchedConn) take() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.first
	c.first = time.Time{}
	if at.IsZero() { // two requests came in one packet
		at = time.Now()
	}
	return at
}

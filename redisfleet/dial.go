package redisfleet

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// A dialer makes connections. It tells when one is lost, since in a cluster or with
// Sentinel another server may be connected already, and again when the next one is made.
type dialer struct {
	dial    func(context.Context, string, *net.Dialer, *tls.Config) (net.Conn, error)
	changed func()

	mu   sync.Mutex
	on   bool
	lost bool
}

// begin says that from now on lost connections count.
func (d *dialer) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.on = true
}

func (d *dialer) lose() {
	d.mu.Lock()
	lost := d.on
	d.lost = lost
	d.mu.Unlock()
	if lost {
		d.changed()
	}
}

func (d *dialer) connect(ctx context.Context, address string, nd *net.Dialer, config *tls.Config) (conn net.Conn, err error) {
	switch {
	case d.dial != nil:
		conn, err = d.dial(ctx, address, nd, config)
	case config != nil:
		conn, err = (&tls.Dialer{NetDialer: nd, Config: config}).DialContext(ctx, "tcp", address)
	default:
		conn, err = nd.DialContext(ctx, "tcp", address)
	}
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	again := d.lost
	d.lost = false
	d.mu.Unlock()
	if again {
		d.changed()
	}
	return &connection{Conn: conn, dialer: d}, nil
}

// A connection tells its dialer when it is lost: before the client knows, since the
// client may dial again before it closes what it has lost.
type connection struct {
	net.Conn
	dialer *dialer
	lost   sync.Once
}

func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		c.lost.Do(c.dialer.lose)
	}
	return n, err
}

func (c *connection) Close() error {
	c.lost.Do(c.dialer.lose)
	return c.Conn.Close()
}

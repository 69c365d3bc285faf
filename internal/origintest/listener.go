package origintest

import (
	"context"
	"net"
	"sync"
)

// A listener can be dialed.
type listener interface {
	net.Listener
	Dial(context.Context) (net.Conn, error)
}

type socket struct{ net.Listener }

func (s socket) Dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", s.Addr().String())
}

// Pipes is a listener whose connections are in memory. They end with it: http.Server closes its
// listeners first, and would then hold its lock for as long as a connection with TLS says goodbye
// to a client that does not listen. In a bubble, no time passes while others wait for a lock.
type Pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
	open   sync.Map // the connections
}

// NewPipes returns a listener to which Dial leads.
func NewPipes() *Pipes {
	p := &Pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

// Dial connects.
func (p *Pipes) Dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept returns the other end of a connection.
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		p.open.Store(conn, nil)
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close ends all connections.
func (p *Pipes) Close() error {
	p.close()
	for conn := range p.open.Range {
		conn.(net.Conn).Close()
	}
	return nil
}

// Addr returns an address of no use.
func (p *Pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "pipe"} }

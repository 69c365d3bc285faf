package origintest

import (
	"context"
	"net"
	"sync"
)

// A listener can be dialed.
type listener interface {
	net.Listener
	dial(context.Context) (net.Conn, error)
}

type socket struct{ net.Listener }

func (s socket) dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", s.Addr().String())
}

// pipes is a listener whose connections are in memory. They end with it: http.Server closes its
// listeners first, and would then hold its lock for as long as a connection with TLS says goodbye
// to a client that does not listen. In a bubble, no time passes while others wait for a lock.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
	open   sync.Map // the connections
}

func newPipes() *pipes {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
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

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		p.open.Store(conn, nil)
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close()
	for conn := range p.open.Range {
		conn.(net.Conn).Close()
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "pipe"} }

package proxy

import (
	"net"
	"sync"
)

const (
	// mostConnections is how many connections there may be. Further ones wait.
	mostConnections = 4096

	// mostStrangers is how many there may be beside them of programs that can never use the
	// proxy. Further ones are closed. So they keep nobody waiting.
	mostStrangers = 64
)

// bounded returns a listener that accepts no more than so many connections at the same time.
func bounded(l net.Listener, d doorman) net.Listener {
	return &boundedListener{
		Listener: l, doorman: d, closed: make(chan struct{}),
		room: make(chan struct{}, mostConnections), strangers: make(chan struct{}, mostStrangers),
	}
}

type boundedListener struct {
	net.Listener
	doorman   doorman
	room      chan struct{}
	strangers chan struct{}
	closed    chan struct{}
	once      sync.Once
}

// Accept waits until there is room.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		bound := &boundedConn{Conn: conn, admitted: l.doorman.knows(conn)}
		if l.seat(bound) {
			return bound, nil
		}
		conn.Close()
	}
}

// seat finds a place for a connection, and reports whether there is one.
func (l *boundedListener) seat(conn *boundedConn) bool {
	room := l.room
	if !conn.admitted && l.doorman.secret == "" {
		room = l.strangers
	}
	conn.leave = sync.OnceFunc(func() { <-room })
	select {
	case room <- struct{}{}:
		return true
	default:
	}
	if room == l.strangers {
		return false
	}
	select {
	case room <- struct{}{}:
		return true
	case <-l.closed:
		return false
	}
}

// Close ends Accept.
func (l *boundedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// A boundedConn makes room when it is closed.
type boundedConn struct {
	net.Conn
	admitted bool // without the secret
	leave    func()
}

// Close closes the connection.
func (c *boundedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// NetConn returns the connection that the listener has accepted.
func (c *boundedConn) NetConn() net.Conn { return c.Conn }

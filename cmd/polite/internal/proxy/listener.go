package proxy

import (
	"container/list"
	"net"
	"sync"
)

const (
	// mostConnections is how many connections there may be. Further ones wait.
	mostConnections = 4096

	// mostUnknown is how many there may be beside them that have not shown the secret yet. For a
	// further one, the oldest is closed. So they keep nobody waiting.
	mostUnknown = 1024

	// mostStrangers is how many there may be beside them of programs that can never use the
	// proxy. Further ones are closed.
	mostStrangers = 64
)

// bounded returns a listener that accepts no more than so many connections at the same time.
func bounded(l net.Listener, d doorman) net.Listener {
	return &boundedListener{Listener: l, doorman: d, closed: make(chan struct{}), room: make(chan struct{}, mostConnections)}
}

type boundedListener struct {
	net.Listener
	doorman doorman
	room    chan struct{}
	closed  chan struct{}
	once    sync.Once

	mu      sync.Mutex
	unknown list.List // of *boundedConn that may not use the proxy so far, the oldest first
}

// Accept waits until there is room.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		bound := &boundedConn{Conn: conn, of: l, admitted: l.doorman.knows(conn)}
		if bound.admitted && bound.settle(nil) || !bound.admitted && l.host(bound) {
			return bound, nil
		}
		conn.Close()
	}
}

// host finds a place for a connection of whom nobody knows, and reports whether there is one.
func (l *boundedListener) host(conn *boundedConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch full := l.unknown.Len(); {
	case l.doorman.secret == "" && full >= mostStrangers:
		return false
	case full >= mostUnknown:
		l.unknown.Remove(l.unknown.Front()).(*boundedConn).Conn.Close()
	}
	conn.place = l.unknown.PushBack(conn)
	return true
}

// Close ends Accept.
func (l *boundedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// A boundedConn makes room when it is closed.
type boundedConn struct {
	net.Conn
	of       *boundedListener
	admitted bool          // without the secret
	place    *list.Element // among the unknown; nil if it was never there
	settled  bool          // it has room
	closed   bool
}

// settle gives room to a connection of who may use the proxy. It waits until there is some, and
// reports whether there was before ended.
func (c *boundedConn) settle(ended <-chan struct{}) bool {
	l := c.of
	l.mu.Lock()
	l.forget(c)
	settled := c.settled
	l.mu.Unlock()
	if settled {
		return true
	}
	select {
	case l.room <- struct{}{}:
	case <-ended:
		return false
	case <-l.closed:
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.settled = !c.closed; c.closed {
		<-l.room
	}
	return c.settled
}

// forget takes a connection from the unknown. It is called with the lock.
func (l *boundedListener) forget(c *boundedConn) {
	if c.place != nil {
		l.unknown.Remove(c.place)
	}
}

// Close closes the connection.
func (c *boundedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

func (c *boundedConn) leave() {
	l := c.of
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(c)
	if c.settled && !c.closed {
		<-l.room
	}
	c.closed = true
}

// NetConn returns the connection that the listener has accepted.
func (c *boundedConn) NetConn() net.Conn { return c.Conn }

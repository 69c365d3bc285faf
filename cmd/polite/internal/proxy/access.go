package proxy

import (
	"container/list"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// User is the name that goes with Options.Secret. The field Proxy-Authorization has both.
const User = "polite"

// Anyone admits every program that reaches the proxy: it is for where only one can.
func Anyone(net.Conn) bool { return true }

// SameUser admits the programs of this machine that run as the user of the proxy. It can tell
// on Linux alone: see TellsUsers.
func SameUser(conn net.Conn) bool {
	uid, ok := userOf(conn)
	return ok && uid == os.Geteuid()
}

// TellsUsers reports whether SameUser can tell who has opened a connection. Where it cannot,
// it admits nobody.
func TellsUsers() bool { return tellsUsers }

// A doorman says which programs may use the proxy.
type doorman struct {
	admit  func(net.Conn) bool // nil: nobody without the secret
	secret string              // "": nobody with one
}

// knows reports whether the program at the other end of conn needs no secret.
func (d doorman) knows(conn net.Conn) bool { return d.admit != nil && d.admit(conn) }

// admits reports whether a program may use the proxy that has sent these fields. Without the
// secret, it may if it is admitted.
func (d doorman) admits(h http.Header, admitted bool) bool {
	if admitted {
		return true
	}
	user, secret, ok := (&http.Request{Header: http.Header{"Authorization": h["Proxy-Authorization"]}}).BasicAuth() // RFC 7617
	return ok && d.secret != "" && user == User && verb.SameSecret(secret, d.secret)
}

// turnAway answers a request of who may not use the proxy, and closes its connection: it would
// take the room of others. Its body, which may never end, is not read.
func turnAway(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	http.NewResponseController(w).SetReadDeadline(time.Now())
	w.Header().Set("Proxy-Authenticate", `Basic realm="polite"`)
	refusal{
		status: http.StatusProxyAuthRequired, kind: KindLocked,
		text: "polite proxy: this proxy is for the programs of one user, and for who knows its secret",
	}.write(w)
}

// IsPartOfPage reports whether a browser asks for an image, a font or a style of a page. A
// script cannot ask in this way for what it could read: what it fetches has another
// destination (Fetch Metadata, §2.1), which no page can change.
func IsPartOfPage(r *http.Request) bool {
	if r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "image", "font", "style":
		return true
	default:
		return false
	}
}

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
func bounded(l net.Listener, d doorman) *boundedListener {
	return &boundedListener{Listener: l, doorman: d, closed: make(chan struct{}), room: make(chan struct{}, mostConnections)}
}

type boundedListener struct {
	net.Listener
	doorman doorman
	room    chan struct{}
	closed  chan struct{}
	once    sync.Once

	mu      sync.Mutex
	open    list.List // of *boundedConn, the oldest first
	unknown int       // how many of them may not use the proxy so far
}

// Accept waits until there is room.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		admitted := l.doorman.knows(conn)
		bound := &boundedConn{Conn: conn, of: l, admitted: admitted, unknown: !admitted}
		if l.enter(bound) && (!admitted || bound.settle(nil)) {
			return bound, nil
		}
		bound.Close()
	}
}

// enter notes a connection, and reports whether it may stay.
func (l *boundedListener) enter(c *boundedConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.unknown {
		switch {
		case l.doorman.secret == "" && l.unknown >= mostStrangers:
			return false
		case l.unknown >= mostUnknown:
			l.evict()
		}
		l.unknown++
	}
	c.place = l.open.PushBack(c)
	select {
	case <-l.closed:
		return false
	default:
		return true
	}
}

// evict closes the oldest of the unknown.
func (l *boundedListener) evict() {
	for e := l.open.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*boundedConn); c.unknown {
			c.know()
			c.Conn.Close()
			return
		}
	}
}

// Close ends Accept.
func (l *boundedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// closeAll closes the listener and all connections, also those that no server knows any more.
func (l *boundedListener) closeAll() {
	l.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := l.open.Front(); e != nil; e = e.Next() {
		e.Value.(*boundedConn).Conn.Close()
	}
}

// A boundedConn makes room when it is closed.
type boundedConn struct {
	net.Conn
	of       *boundedListener
	admitted bool          // without the secret
	unknown  bool          // it has not shown the secret so far
	settled  bool          // it has room
	place    *list.Element // among the open ones; nil if it is none
}

// settle gives room to a connection of who may use the proxy. It waits until there is some, and
// reports whether there was before ended.
func (c *boundedConn) settle(ended <-chan struct{}) bool {
	l := c.of
	l.mu.Lock()
	c.know()
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
	if c.settled = c.place != nil; !c.settled {
		<-l.room // it was closed meanwhile
	}
	return c.settled
}

// know counts a connection no more as unknown.
func (c *boundedConn) know() {
	if c.unknown {
		c.unknown = false
		c.of.unknown--
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
	if c.place == nil {
		return
	}
	l.open.Remove(c.place)
	c.place = nil
	c.know()
	if c.settled {
		<-l.room
	}
}

// CloseWrite tells the program that no more comes.
func (c *boundedConn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(conn any) error {
	way, ok := conn.(interface{ CloseWrite() error })
	if !ok {
		return http.ErrNotSupported
	}
	return way.CloseWrite()
}

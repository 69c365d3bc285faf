package proxy

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
)

// A tunnel is a connection of a program after CONNECT. The program takes it for one to the
// host that it has named.
type tunnel struct {
	net.Conn
	early *bufio.Reader // what was read ahead
	host  string        // that the program has named, without its port
	port  string
	tls   bool
}

// Read reads what was read ahead, and then from the connection.
func (t *tunnel) Read(p []byte) (int, error) {
	if t.early.Buffered() == 0 {
		return t.Conn.Read(p)
	}
	return t.early.Read(p) // no more than that
}

// CloseWrite tells the program that no more comes.
func (t *tunnel) CloseWrite() error { return closeWrite(t.Conn) }

// siteOf returns the site that a request through the tunnel is for. The program may ask for no
// other than the one that it has named: its certificate would be that of another.
func (t *tunnel) siteOf(r *http.Request) (at origin.Origin, problem *refusal) {
	scheme := "http"
	if t.tls {
		scheme = "https"
	}
	at, err := origin.OfURL(&url.URL{Scheme: scheme, Host: net.JoinHostPort(t.host, t.port)})
	asked := at
	if r.Host != "" {
		asked, err = origin.OfURL(&url.URL{Scheme: cmp.Or(r.URL.Scheme, scheme), Host: r.Host})
	}
	switch {
	case err != nil || r.Method == http.MethodConnect || r.URL.Opaque != "" || !strings.HasPrefix(r.URL.Path, "/") && r.URL.Path != "":
		return at, untargeted("write the path of a page, and the host in the field Host")
	case asked != at:
		return at, &refusal{
			status: http.StatusMisdirectedRequest, kind: KindTarget,
			text: printable.Text("polite proxy: the request is for " + asked.String() + ", but its tunnel is for " + at.String()),
		}
	}
	return at, nil
}

// A tunneler makes tunnels of connections, and is the listener that accepts them.
type tunneler struct {
	config *tls.Config
	counts *counts
	ready  chan net.Conn
	closed chan struct{}
	close  sync.Once
}

func newTunneler(a *authority, c *counts) *tunneler {
	t := &tunneler{counts: c, ready: make(chan net.Conn), closed: make(chan struct{})}
	t.config = &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			host := hello.ServerName // if it is not that of the tunnel, the answer says so
			if through, ok := hello.Conn.(*tunnel); ok && host == "" {
				host = through.host
			}
			return a.leaf(host)
		},
	}
	return t
}

// Accept returns a tunnel through which HTTP comes.
func (t *tunneler) Accept() (net.Conn, error) {
	select {
	case conn := <-t.ready:
		return conn, nil
	case <-t.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (t *tunneler) Close() error {
	t.close.Do(func() { close(t.closed) })
	return nil
}

// Addr returns no address: no socket leads here.
func (t *tunneler) Addr() net.Addr { return &net.UnixAddr{Name: "tunnels", Net: "tunnel"} }

// serve answers a CONNECT request, whose target is one.
func (t *tunneler) serve(w http.ResponseWriter, r *http.Request) {
	t.counts.add(func(c *Tally) { c.Tunnels++ })
	host, port, _ := net.SplitHostPort(r.Host) // targetOf has looked
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err == nil && !t.open(&tunnel{Conn: conn, early: buffered.Reader, host: host, port: port}) {
		conn.Close()
	}
}

// patience is how long a program may take to send what it has to send first.
const patience = 30 * time.Second

// open tells the program that the tunnel is there, looks at what comes through it, and hands
// it on. It returns false if what comes is neither TLS nor HTTP.
func (t *tunneler) open(through *tunnel) bool {
	through.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(through.Conn, "HTTP/1.1 200 Connection Established\r\n\r\n"); err != nil {
		return false
	}
	first, err := through.early.Peek(1)
	if err != nil {
		return false
	}
	var conn net.Conn = through
	const handshake = 22 // RFC 8446 §5.1
	switch octet := first[0]; {
	case octet == handshake:
		through.tls = true
		conn = tls.Server(through, t.config)
	case octet < 'A' || octet > 'Z': // no method begins so
		t.counts.refused(KindProtocol)
		return false
	}
	through.SetDeadline(time.Time{})
	select {
	case t.ready <- conn:
		return true
	case <-t.closed:
		return false
	}
}

type tunnelKey struct{}

// enterTunnel returns a context that knows the tunnel through which a connection comes.
func enterTunnel(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	through := conn.(*tunnel)
	return over(context.WithValue(ctx, tunnelKey{}, through), through.Conn)
}

// Package proxy is an HTTP proxy whose requests go through a polite transport. Whatever
// program uses it obeys robots.txt and takes turns.
//
//	tunnel.go     a program asks for a tunnel (CONNECT): what comes through it is read here
//	authority.go  by certificates that the program was told to trust
//	forward.go    each request is judged, waits for its turn and is sent
//	refusal.go    a program learns by the status why it gets no answer
//	access.go     nobody else may use the proxy
package proxy

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/origin"
)

// Options are what a Proxy is made of.
type Options struct {
	// Transport judges and sends the requests: a *polite.Transport. Set its Trace.Waited to
	// Waited, so that the Summary has the waits. Required.
	Transport http.RoundTripper

	// Robots returns the robots.txt of the site of a URL, as far as it is known. A program's
	// own request for /robots.txt is answered with it. If nil, such a request is sent.
	Robots func(context.Context, *url.URL) (Robots, error)

	// MaxWait is how long a request may wait for its turn. Zero is a minute.
	MaxWait time.Duration

	// Secret is what a program has to know: the password of User. If "", no secret lets a
	// program in.
	Secret string

	// Admit reports whether a program may use the proxy without the secret. If nil, none may.
	// See SameUser and Anyone.
	Admit func(net.Conn) bool

	// Via is the name of this proxy in the field Via, by which loops are found out. Set it if
	// requests go on to another proxy. If "", sites do not see that there is a proxy.
	Via string

	// Life is how long the certificates hold. Zero is a day.
	Life time.Duration
}

// A Proxy is an HTTP proxy. Make one with New.
type Proxy struct {
	authority *authority
	doorman   doorman
	forwarder *forwarder
	tunneler  *tunneler
	counts    *counts
	outer     *http.Server // of what programs send to the proxy
	inner     *http.Server // of what comes through tunnels
	end       context.CancelFunc
	working   sync.RWMutex // is read-locked while a request is answered
	own       atomic.Pointer[netip.AddrPort]
	listener  atomic.Pointer[boundedListener]
}

// New returns a Proxy. It has an authority for certificates of its own, whose key is in memory
// alone.
func New(o Options) (*Proxy, error) {
	switch {
	case o.Transport == nil:
		return nil, errors.New("proxy: Options.Transport is nil")
	case o.Secret == "" && o.Admit == nil:
		return nil, errors.New("proxy: nobody may use it: set Options.Secret or Options.Admit")
	}
	authority, err := newAuthority(cmp.Or(o.Life, 24*time.Hour))
	if err != nil {
		return nil, err
	}
	p := &Proxy{authority: authority, doorman: doorman{o.Admit, o.Secret}, counts: new(counts)}
	p.forwarder = &forwarder{
		transport: o.Transport, robots: o.Robots, maxWait: cmp.Or(o.MaxWait, time.Minute), via: o.Via, counts: p.counts,
	}
	p.tunneler = newTunneler(authority, p.counts)
	ctx, end := context.WithCancel(p.counts.in(context.Background()))
	p.end = end
	p.outer = server(ctx, p.serveProgram, p.greet)
	p.inner = server(ctx, p.serveTunnel, enterTunnel)
	return p, nil
}

const (
	mostHeader = 256 << 10 // octets of the fields of a request
	mostUpload = 64 << 10  // octets of a body that wait for the site, over HTTP/2
)

// server returns a server of one side of the proxy.
func server(ctx context.Context, handle http.HandlerFunc, arrive func(context.Context, net.Conn) context.Context) *http.Server {
	return &http.Server{
		Handler:                      onceIfOld(handle),
		DisableGeneralOptionsHandler: true,
		BaseContext:                  func(net.Listener) context.Context { return ctx },
		ConnContext:                  arrive,
		ReadHeaderTimeout:            patience,
		IdleTimeout:                  2 * time.Minute,
		MaxHeaderBytes:               mostHeader,
		HTTP2:                        &http.HTTP2Config{MaxReceiveBufferPerStream: mostUpload, MaxReceiveBufferPerConnection: 4 * mostUpload},
		ErrorLog:                     log.New(io.Discard, "", 0), // it tells of connections that fail
	}
}

// onceIfOld closes the connection of a program of HTTP/1.0 after one answer, as a proxy has to
// (RFC 9112 §9.3). net/http ignores the field Transfer-Encoding of such a program, so the body
// would be taken for its next request (§6.1).
func onceIfOld(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !r.ProtoAtLeast(1, 1) {
			w.Header().Set("Connection", "close")
		}
		handle(w, r)
	}
}

// Serve serves the programs that connect to l, until Shutdown. Then it returns nil. It closes
// l. Call it once.
func (p *Proxy) Serve(l net.Listener) error {
	if own, err := netip.ParseAddrPort(l.Addr().String()); err == nil {
		p.own.Store(&own)
	}
	var serving sync.WaitGroup
	serving.Go(func() { p.inner.Serve(p.tunneler) })
	p.listener.Store(bounded(l, p.doorman))
	err := p.outer.Serve(p.listener.Load())
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	} else {
		p.close()
	}
	serving.Wait()
	p.working.Lock() // all are answered
	defer p.working.Unlock()
	return err
}

// Shutdown ends Serve: it accepts nothing more, and waits for the requests under way until ctx
// ends. Then it closes all connections.
func (p *Proxy) Shutdown(ctx context.Context) error {
	defer p.close()
	return cmp.Or(p.outer.Shutdown(ctx), p.inner.Shutdown(ctx))
}

func (p *Proxy) close() {
	p.end()
	p.outer.Close()
	p.inner.Close() // and the tunneler, its listener
	if l := p.listener.Load(); l != nil {
		l.closeAll()
	}
}

// CA returns the certificate that programs have to trust, as PEM.
func (p *Proxy) CA() []byte { return p.authority.pem() }

// Summary returns what the Proxy has done so far.
func (p *Proxy) Summary() Tally { return p.counts.summary() }

// greet is called with each connection that a program opens.
func (p *Proxy) greet(ctx context.Context, conn net.Conn) context.Context {
	p.counts.add(func(t *Tally) { t.Connections++ })
	return over(ctx, conn)
}

// serveProgram answers what a program sends to the proxy.
func (p *Proxy) serveProgram(w http.ResponseWriter, r *http.Request) {
	p.working.RLock()
	defer p.working.RUnlock()
	conn, ok := r.Context().Value(connKey{}).(*boundedConn)
	if !p.doorman.admits(r.Header, ok && conn.admitted) {
		p.counts.add(func(t *Tally) { t.Locked++ })
		turnAway(w)
		return
	}
	if ok && !conn.settle(r.Context().Done()) {
		panic(http.ErrAbortHandler) // nobody waits for an answer any more
	}
	at, problem := targetOf(r)
	switch {
	case problem != nil:
		p.forwarder.refuse(w, *problem)
	case p.isOwn(at) || hasPassed(r.Header, p.forwarder.via):
		p.forwarder.refuse(w, loop())
	case r.Method == http.MethodConnect:
		p.tunneler.serve(w, r)
	default:
		p.forwarder.forward(w, r, at)
	}
}

// isOwn reports whether an origin is the proxy itself, as far as its spelling tells.
func (p *Proxy) isOwn(at origin.Origin) bool {
	own := p.own.Load()
	if own == nil || at.Port != own.Port() {
		return false
	}
	addr, err := netip.ParseAddr(at.Host)
	local := at.Host == "localhost" || err == nil && (addr.IsLoopback() || addr.IsUnspecified())
	return local || err == nil && addr.Unmap() == own.Addr().Unmap()
}

// serveTunnel answers what comes through a tunnel.
func (p *Proxy) serveTunnel(w http.ResponseWriter, r *http.Request) {
	p.working.RLock()
	defer p.working.RUnlock()
	at, problem := r.Context().Value(tunnelKey{}).(*tunnel).siteOf(r)
	if problem != nil {
		p.forwarder.refuse(w, *problem)
		return
	}
	p.forwarder.forward(w, r, at)
}

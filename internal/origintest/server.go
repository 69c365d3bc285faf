// Package origintest plays the web for tests: one real HTTP server that is any
// number of hosts, answers as it is told, and logs all that arrives.
package origintest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Server is every host there is. A host that was told nothing has no
// robots.txt, and a page under every other path.
type Server struct {
	plain, secure listener
	trusted       *authority
	distrusted    *authority

	mu      sync.Mutex
	scripts map[string][]http.HandlerFunc // by host and path
	lost    map[string]bool               // hosts that do not resolve
	bad     map[string]bool               // hosts with a certificate that no one trusts
	others  http.HandlerFunc              // answers where a host was told nothing
	log     Log
	closed  bool

	handlers sync.WaitGroup
}

// An Arrival is a request as it arrived.
type Arrival struct {
	Time   time.Time
	From   string // the other end of its connection
	TLS    bool
	Host   string // as in the Host header
	Method string
	URI    string // as in the request line
	Header http.Header
}

// New starts a server on the loopback interface. It is closed with the test.
func New(t testing.TB) *Server {
	return start(t, func() (listener, error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		return socket{l}, nil
	})
}

// NewInMemory starts a server that no socket leads to, so that it can be used in
// a synctest bubble. It is closed with the test.
func NewInMemory(t testing.TB) *Server {
	return start(t, func() (listener, error) { return NewPipes(), nil })
}

func start(t testing.TB, listen func() (listener, error)) *Server {
	s := &Server{
		trusted:    newAuthority(t),
		distrusted: newAuthority(t),
		scripts:    make(map[string][]http.HandlerFunc),
		lost:       make(map[string]bool),
		bad:        make(map[string]bool),
	}
	t.Cleanup(s.close) // after all that follows has ended
	s.plain = s.serve(t, listen, (*http.Server).Serve)
	s.secure = s.serve(t, listen, func(server *http.Server, l net.Listener) error {
		server.TLSConfig = &tls.Config{GetCertificate: s.certificate}
		return server.ServeTLS(l, "", "")
	})
	return s
}

func (s *Server) serve(t testing.TB, listen func() (listener, error), serve func(*http.Server, net.Listener) error) listener {
	l, err := listen()
	if err != nil {
		t.Fatal(err)
	}
	// Not every handler is told that its client has gone, but all that this ends.
	ctx, end := context.WithCancel(context.Background())
	server := &http.Server{
		Handler: s, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	var serving sync.WaitGroup
	serving.Go(func() { serve(server, l) })
	t.Cleanup(func() {
		end()
		server.Close()
		serving.Wait()
	})
	return l
}

// close waits until all answers have ended. None begins after it.
func (s *Server) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.handlers.Wait()
}

// Transport returns a new transport for which the server is every host: at the
// ports 443 and 8443 with TLS, at all others without. Its connections are closed
// with the test.
func (s *Server) Transport(t testing.TB) *http.Transport {
	roots := x509.NewCertPool()
	roots.AddCert(s.trusted.certificate)
	transport := &http.Transport{
		DialContext:       s.dial,
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2: s.OnSockets(), // whose writes are buffered, as HTTP/2 needs it
	}
	if !s.OnSockets() { // many tests connect for each request
		transport.ReadBufferSize, transport.WriteBufferSize = 512, 512
	}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// CA returns the certificate that a program must trust to reach the server with TLS, as PEM.
func (s *Server) CA() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.trusted.certificate.Raw})
}

func (s *Server) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	lost := s.lost[host]
	s.mu.Unlock()
	switch {
	case lost:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
	case port == "443" || port == "8443":
		return s.secure.Dial(ctx)
	default:
		return s.plain.Dial(ctx)
	}
}

// OnSockets reports whether sockets lead to the server, so that what it takes is real time.
func (s *Server) OnSockets() bool {
	_, sockets := s.secure.(socket)
	return sockets
}

// Address returns the host and port at which the server listens on a socket, without TLS. It is the address
// of one host more, and that of a proxy behind which all hosts are.
func (s *Server) Address() string { return s.plain.Addr().String() }

// Robots tells host how to answer for its robots.txt: once by each, and then
// always by the last. A host is named as in the Host header, with its port if
// that is not the scheme's own. "" is every host that was told nothing else.
func (s *Server) Robots(host string, answers ...http.HandlerFunc) {
	s.Page(host, "/robots.txt", answers...)
}

// Page tells host how to answer for a path: once by each, and then always by the
// last. The host is as for Robots.
func (s *Server) Page(host, path string, answers ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts[host+path] = answers
}

// Others tells all hosts how to answer where they were told nothing else. Answer may have any way to choose.
func (s *Server) Others(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.others = answer
}

// Lose makes host one that does not resolve.
func (s *Server) Lose(host string) { s.set(s.lost, host, true) }

// Find makes host one that does resolve.
func (s *Server) Find(host string) { s.set(s.lost, host, false) }

// Distrust makes host show a certificate that no one trusts.
func (s *Server) Distrust(host string) { s.set(s.bad, host, true) }

// Trust makes host show a certificate that can be trusted.
func (s *Server) Trust(host string) { s.set(s.bad, host, false) }

func (s *Server) set(hosts map[string]bool, host string, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hosts[host] = is
}

func (s *Server) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bad[hello.ServerName] {
		return s.distrusted.issue(hello.ServerName)
	}
	return s.trusted.issue(hello.ServerName)
}

// ServeHTTP logs the request and answers it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if answer, ok := s.arrive(r); ok {
		defer s.handlers.Done()
		answer(w, r)
	}
}

// arrive logs a request, and returns the answer to it. It returns false after the end.
func (s *Server) arrive(r *http.Request) (answer http.HandlerFunc, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false
	}
	s.handlers.Add(1)
	s.log = append(s.log, Arrival{
		Time: time.Now(), From: r.RemoteAddr, TLS: r.TLS != nil, Host: r.Host, Method: r.Method, URI: r.RequestURI, Header: r.Header,
	})
	return s.answerTo(r), true
}

// answerTo returns the next answer to a request.
func (s *Server) answerTo(r *http.Request) http.HandlerFunc {
	at := r.Host + r.URL.Path
	if _, told := s.scripts[at]; !told {
		at = r.URL.Path // what all hosts were told
	}
	script := s.scripts[at]
	switch {
	case len(script) > 1:
		s.scripts[at] = script[1:]
		return script[0]
	case len(script) == 1:
		return script[0]
	case s.others != nil:
		return s.others
	case r.URL.Path == "/robots.txt":
		return Status(http.StatusNotFound)
	default:
		return Text("a page\n")
	}
}

// Log returns what has arrived until now, in order.
func (s *Server) Log() Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log[:len(s.log):len(s.log)] // it only grows
}

// Take returns what has arrived since it was last called, and forgets it.
func (s *Server) Take() Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

// A Log is a list of requests that arrived.
type Log []Arrival

// At returns what arrived at host.
func (l Log) At(host string) Log {
	return l.only(func(a Arrival) bool { return a.Host == host })
}

// Robots returns the requests for a robots.txt.
func (l Log) Robots() Log {
	return l.only(func(a Arrival) bool { return a.URI == "/robots.txt" })
}

// Pages returns the requests for anything else.
func (l Log) Pages() Log {
	return l.only(func(a Arrival) bool { return a.URI != "/robots.txt" })
}

// URIs lists the requests by path and query.
func (l Log) URIs() (uris []string) {
	for _, a := range l {
		uris = append(uris, a.URI)
	}
	return uris
}

func (l Log) only(want func(Arrival) bool) Log {
	var kept Log
	for _, a := range l {
		if want(a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// String lists the requests by method, scheme, host and path, one a line.
func (l Log) String() string {
	var b strings.Builder
	for _, a := range l {
		scheme := "http://"
		if a.TLS {
			scheme = "https://"
		}
		b.WriteString(a.Method + " " + scheme + a.Host + a.URI + "\n")
	}
	return b.String()
}

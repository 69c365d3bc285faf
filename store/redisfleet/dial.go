package redisfleet

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"

	"github.com/redis/rueidis"
)

// A dialer makes connections. It tells when one is lost, since in a cluster or with
// Sentinel another server may be connected already, and again when the next one is made.
type dialer struct {
	dial    func(context.Context, string, *net.Dialer, *tls.Config) (net.Conn, error)
	changed func()
	alive   context.Context // its end closes all connections

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

func (d *dialer) connect(ctx context.Context, address string, nd *net.Dialer, config *tls.Config) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.alive, cancel)()
	conn, err := d.reach(ctx, address, nd, config)
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
	stop := context.AfterFunc(d.alive, func() { conn.Close() })
	return &connection{Conn: conn, dialer: d, stop: stop}, nil
}

func (d *dialer) reach(ctx context.Context, address string, nd *net.Dialer, config *tls.Config) (net.Conn, error) {
	switch {
	case d.dial != nil:
		return d.dial(ctx, address, nd, config)
	case config != nil:
		return secure(ctx, address, nd, config)
	default:
		return nd.DialContext(ctx, "tcp", address)
	}
}

// secure connects with TLS. Its errors tell whether the server speaks it.
func secure(ctx context.Context, address string, nd *net.Dialer, config *tls.Config) (net.Conn, error) {
	if nd.Timeout > 0 {
		shorter, cancel := context.WithTimeout(ctx, nd.Timeout)
		defer cancel()
		ctx = shorter
	}
	plain, err := nd.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	conn := tls.Client(plain, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		plain.Close()
		return nil, handshaked(err)
	}
	return conn, nil
}

// A connection tells its dialer when it is lost: before the client knows, since the
// client may dial again before it closes what it has lost.
type connection struct {
	net.Conn
	dialer *dialer
	lost   sync.Once
	stop   func() bool
	known  bool // it answers as a server of ours; one goroutine reads
}

func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.known {
		if err := greeted(p[0]); err != nil {
			return 0, err
		}
		c.known = true
	}
	if err != nil {
		c.lost.Do(c.dialer.lose)
	}
	return n, err
}

func (c *connection) Close() error {
	c.stop()
	c.lost.Do(c.dialer.lose)
	return c.Conn.Close()
}

// credentials lets a client ask for the user and the password of each connection.
func credentials(alive context.Context, ask func(context.Context) (user, password string, err error)) func(rueidis.AuthCredentialsContext) (rueidis.AuthCredentials, error) {
	return func(rueidis.AuthCredentialsContext) (rueidis.AuthCredentials, error) {
		ctx, cancel := context.WithTimeout(alive, longestCall)
		defer cancel()
		user, password, err := ask(ctx)
		if err != nil {
			return rueidis.AuthCredentials{}, &credentialsError{err}
		}
		return rueidis.AuthCredentials{Username: user, Password: password}, nil
	}
}

// A strangerError says that who answers does not speak as the URL says.
type strangerError struct {
	does string // what to do, after "could not be reached, since"
	err  error  // what came of it
}

func (e *strangerError) Error() string { return e.err.Error() }
func (e *strangerError) Unwrap() error { return e.err }

const (
	isHTTP   = "an HTTP server is there: write the address of a Redis or Valkey server into the URL"
	noTLS    = "it does not speak TLS: begin the URL with redis://, and set no Options.TLS"
	onlyTLS  = "it speaks TLS: begin the URL with rediss://"
	noServer = "it does not speak as a Redis or Valkey server: check the address and the port in the URL"
	silent   = "it has not answered with TLS: begin the URL with redis:// if it does not speak TLS"
	endsTLS  = "it ended the connection: begin the URL with redis:// if it does not speak TLS; if it wants a certificate of its clients, set Options.TLS"
)

var errStranger = errors.New("the answer is not of a Redis or Valkey server")

// handshaked explains why TLS has failed, if it is not about certificates.
func handshaked(err error) error {
	if record, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		if strings.HasPrefix(string(record.RecordHeader[:]), "HTTP/") {
			return &strangerError{isHTTP, err}
		}
		return &strangerError{noTLS, err}
	}
	timeout, ok := errors.AsType[net.Error](err)
	switch {
	case ok && timeout.Timeout(): // it may wait for the end of what it takes for a command
		return &strangerError{silent, err}
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return &strangerError{endsTLS, err}
	}
	return err
}

// greeted returns an error if an answer that begins so is not of a server of ours.
func greeted(begins byte) error {
	switch {
	case strings.IndexByte("+-:$*_,#!=(%~>|.", begins) >= 0:
		return nil
	case begins == 'H' || begins == '<': // the first versions of HTTP have no status line
		return &strangerError{isHTTP, errStranger}
	case begins == 0x15 || begins == 0x16: // an alert, or a handshake
		return &strangerError{onlyTLS, errStranger}
	}
	return &strangerError{noServer, errStranger}
}

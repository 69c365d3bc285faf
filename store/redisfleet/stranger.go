package redisfleet

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
)

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

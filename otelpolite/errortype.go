package otelpolite

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"

	"github.com/go-polite/polite"
)

// other is the error.type of all errors without a word of their own. The semantic
// conventions define it.
const other = "_OTHER"

// errorType returns the error.type of err. It depends on the types of errors and not on
// their texts, so it has few values. An error of a Store or of Turns may have an ErrorType of its own, as
// those of redisfleet do: it must have few values, too.
func errorType(err error) string {
	if d, refused := polite.DecisionOf(err); refused {
		return cmp.Or(string(d.Reason), other)
	}
	own, ok := errors.AsType[interface {
		error
		ErrorType() string
	}](err)
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case ok:
		return cmp.Or(own.ErrorType(), other)
	case isTimeout(err):
		return "timeout"
	case is[*net.DNSError](err):
		return "dns"
	case isTLS(err):
		return "tls"
	case is[*net.OpError](err):
		return "connection"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "eof"
	default:
		return other
	}
}

// is reports whether err is an E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

func isTLS(err error) bool {
	return is[*tls.CertificateVerificationError](err) || is[tls.RecordHeaderError](err) || is[tls.AlertError](err) || is[*tls.ECHRejectionError](err) ||
		is[x509.UnknownAuthorityError](err) || is[x509.CertificateInvalidError](err) || is[x509.HostnameError](err)
}

package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"unsafe"
	"weak"

	"github.com/go-polite/polite/internal/printable"
)

// What is kept of a header or an error is no longer than this, since both are of the
// server's making, or of Base's.
const (
	maxText   = 2 << 10
	maxPart   = 256 // of what says again what the text of an error does
	maxErrors = 16  // that one error wraps
)

// clip returns the beginning of s, at most that many octets, in memory of its own.
func clip(s string, most int) string {
	if len(s) <= most {
		return strings.Clone(s)
	}
	const more = "…"
	return strings.ToValidUTF8(s[:most-len(more)], "") + more
}

// A kept error stands in for one of any size: it has its text, made safe to show, and what
// errors.Is and errors.As look for in it. It keeps no error of another type alive. Such an
// error may have a buffer, the certificates that a site has shown, or a connection.
type kept struct {
	text string
	is   []error    // small copies of those that it wrapped
	same []identity // of those that it wrapped
}

func (k *kept) Error() string   { return k.text }
func (k *kept) Unwrap() []error { return k.is }

// Is reports whether target itself was in the error.
func (k *kept) Is(target error) bool {
	for i := range k.same {
		if k.same[i].of(target) {
			return true
		}
	}
	return false
}

// Size returns about how many bytes an error takes that Fetch has returned.
func Size(err error) int {
	if err == nil {
		return 0
	}
	n := 64 + len(err.Error())
	if k, ok := err.(*kept); ok {
		n += 64*len(k.same) + 16*len(k.is)
		for _, small := range k.is {
			n += 128 + 2*len(small.Error())
		}
	}
	return n
}

// keep returns err as it can be kept for long.
func keep(err error) error {
	if err == nil {
		return nil
	}
	if k, ok := err.(*kept); ok {
		return k
	}
	k := &kept{text: clip(printable.Text(clip(err.Error(), maxText)), maxText)}
	k.take(wrapped(err, nil))
	return k
}

// wrapped appends err and the errors that it wraps, up to maxErrors of them.
func wrapped(err error, to []error) []error {
	if err == nil || len(to) == maxErrors {
		return to
	}
	to = append(to, err)
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		return wrapped(err.Unwrap(), to)
	case *kept: // it has copies already
	case interface{ Unwrap() []error }:
		for _, each := range err.Unwrap() {
			to = wrapped(each, to)
		}
	}
	return to
}

// take takes into k what is small of all.
func (k *kept) take(all []error) {
	late := false
	for _, err := range all {
		if e, ok := err.(*kept); ok {
			k.is, k.same = append(k.is, e.is...), append(k.same, e.same...)
		} else if small := smaller(err); small != nil {
			k.is = append(k.is, small)
		} else if id, ok := identityOf(err); ok {
			k.same = append(k.same, id)
		}
		if e, ok := err.(net.Error); ok && e.Timeout() {
			late = true
		}
		if e, ok := err.(interface{ Is(error) bool }); ok {
			for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
				if e.Is(end) {
					k.is = append(k.is, end)
				}
			}
		}
	}
	if late {
		k.is = append([]error{timeout{}}, k.is...)
	}
}

// A timeout is what is kept of a net.Error that is one.
type timeout struct{}

func (timeout) Error() string   { return "timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

// smaller returns a copy of err, without what it wraps and what makes it large. It returns
// nil if it knows no such copy.
func smaller(err error) error {
	switch e := err.(type) {
	case *tls.CertificateVerificationError:
		return &tls.CertificateVerificationError{Err: errors.New(clip(fmt.Sprint(e.Err), maxPart))}
	case x509.UnknownAuthorityError:
		return x509.UnknownAuthorityError{}
	case x509.CertificateInvalidError:
		return x509.CertificateInvalidError{Reason: e.Reason, Detail: clip(e.Detail, maxPart)}
	case x509.HostnameError:
		return mismatch(clip(e.Host, maxPart))
	case tls.RecordHeaderError:
		return tls.RecordHeaderError{Msg: clip(e.Msg, maxPart), RecordHeader: e.RecordHeader}
	case *tls.ECHRejectionError:
		return new(tls.ECHRejectionError)
	case *net.OpError:
		return &net.OpError{Op: clip(e.Op, maxPart), Net: clip(e.Net, maxPart), Err: errors.New(clip(fmt.Sprint(e.Err), maxPart))}
	case *net.DNSError:
		return &net.DNSError{
			Err: clip(e.Err, maxPart), Name: clip(e.Name, maxPart), Server: clip(e.Server, maxPart),
			IsTimeout: e.IsTimeout, IsTemporary: e.IsTemporary, IsNotFound: e.IsNotFound,
		}
	}
	return copied(reflect.ValueOf(err))
}

// copied returns a copy of an error that has only a few octets. It returns nil for another.
func copied(v reflect.Value) error {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() || !isPlain(v.Type().Elem()) {
			return nil
		}
		c := reflect.New(v.Type().Elem())
		c.Elem().Set(v.Elem())
		v = c
	} else if !isPlain(v.Type()) {
		return nil
	}
	err, _ := v.Interface().(error)
	return err
}

// isPlain reports whether all of a value of type t is in a few octets.
func isPlain(t reflect.Type) bool {
	if t.Size() > 64 {
		return false
	}
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			if !isPlain(f.Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return isPlain(t.Elem())
	default:
		return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Complex128
	}
}

// A mismatch is the host of an x509.HostnameError, which cannot be without a
// certificate.
type mismatch string

func (m mismatch) Error() string { return "x509: certificate is not valid for " + string(m) }

// As makes an x509.HostnameError of m, with a certificate that says nothing.
func (m mismatch) As(target any) bool {
	e, ok := target.(*x509.HostnameError)
	if ok {
		*e = x509.HostnameError{Certificate: new(x509.Certificate), Host: string(m)}
	}
	return ok
}

// An identity tells whether an error is the one that it is of, and does not keep that one
// alive. So errors.Is finds the errors that a program has in its variables, and what is
// made for one failure is let go.
type identity struct {
	kind reflect.Type
	at   weak.Pointer[byte]
}

// identityOf returns the identity of err. It returns false if err has none, since it is no
// pointer.
func identityOf(err error) (id identity, ok bool) {
	v := reflect.ValueOf(err)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return id, false
	}
	return identity{v.Type(), weak.Make((*byte)(v.UnsafePointer()))}, true
}

// of reports whether id is of err.
func (id *identity) of(err error) bool {
	v := reflect.ValueOf(err)
	return v.Kind() == reflect.Pointer && v.Type() == id.kind && !v.IsNil() && unsafe.Pointer(id.at.Value()) == v.UnsafePointer()
}

package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
)

// What is kept of a header or an error is no longer than this, since both are of the
// server's making.
const (
	maxText = 2 << 10
	maxPart = 256 // of what says again what the text of an error does
)

// clip returns the beginning of s, in memory of its own.
func clip(s string, most int) string {
	if len(s) <= most {
		return strings.Clone(s)
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// keep returns err as it can be kept for long. A site makes those that it keeps
// large: a long text, the certificates that it has shown, its connection. What
// errors of Base's own types hold is Base's matter.
func keep(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	small := smaller(err)
	switch {
	case len(text) > maxText:
		small = append(small, resolving(err)...)
	case len(small) == 0:
		return err
	}
	return &kept{clip(text, maxText), small}
}

// A kept error stands in for one that is too large to keep.
type kept struct {
	text string
	is   []error // of those that it wrapped, the ones to look for, without what makes them large
}

func (k *kept) Error() string   { return k.text }
func (k *kept) Unwrap() []error { return k.is }

// smaller returns small copies of the errors in err that hold more than their text.
func smaller(err error) (small []error) {
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		small = append(small, &tls.CertificateVerificationError{Err: errors.New(clip(fmt.Sprint(e.Err), maxPart))})
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		small = append(small, x509.UnknownAuthorityError{})
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		small = append(small, x509.CertificateInvalidError{Reason: e.Reason, Detail: clip(e.Detail, maxPart)})
	}
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		small = append(small, mismatch(clip(e.Host, maxPart)))
	}
	if e, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		small = append(small, tls.RecordHeaderError{Msg: e.Msg, RecordHeader: e.RecordHeader})
	}
	if e, ok := errors.AsType[*tls.ECHRejectionError](err); ok && len(e.RetryConfigList) > 0 {
		small = append(small, new(tls.ECHRejectionError))
	}
	return small
}

// resolving returns a copy of the net.DNSError in err, if any, without long names.
func resolving(err error) []error {
	e, ok := errors.AsType[*net.DNSError](err)
	if !ok {
		return nil
	}
	return []error{&net.DNSError{
		Err: clip(e.Err, maxPart), Name: clip(e.Name, maxPart), Server: clip(e.Server, maxPart),
		IsTimeout: e.IsTimeout, IsTemporary: e.IsTemporary, IsNotFound: e.IsNotFound,
	}}
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

package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/internal/printable"
)

// The kinds of refusals that only a proxy has: see report.RefusalOf.
const (
	KindProtocol = "protocol" // 403: not for web pages, such as the port of a mail server
	KindLoop     = "loop"     // 508: the request leads back to the proxy
	KindTarget   = "target"   // 400 or 421: not a request for a site, or for another than that of its tunnel
	KindLocked   = "locked"   // 407: the program may not use the proxy
)

// A refusal is what a program gets instead of an answer of the site.
type refusal struct {
	status int
	kind   string // "" if the request has failed: it was not refused
	why    string // the error type of RFC 9209 §2.3
	rule   string // the URL and the line that decided, or ""
	again  time.Time
	text   string
}

// Error returns what the program reads.
func (r refusal) Error() string { return r.text }

// refusalOf returns what an error of the transport means to a program.
func refusalOf(err error) refusal {
	d, _ := polite.DecisionOf(err)
	told := report.RefusalOf(d, err)
	r := refusal{kind: told.Kind, again: told.Again, text: "polite: " + told.Says, why: denied}
	if told.Line > 0 {
		r.rule = fmt.Sprintf("%s:%d", d.RobotsURL, told.Line)
	}
	switch told.Kind {
	case report.KindDisallowed, report.KindUse:
		r.status = http.StatusForbidden
	case report.KindPrivate:
		r.status, r.why = http.StatusForbidden, "destination_ip_prohibited"
	case report.KindDelayed:
		r.status = http.StatusTooManyRequests
	case report.KindStore:
		r.status, r.why = http.StatusServiceUnavailable, "proxy_internal_error"
	case report.KindNoRules:
		r.status, r.why = http.StatusServiceUnavailable, "destination_unavailable"
	case report.KindNoHost:
		r.status, r.why = http.StatusBadGateway, "dns_error"
	default:
		return failureOf(err)
	}
	return r
}

const denied = "http_request_denied"

// failureOf returns what a failed request means to a program.
func failureOf(err error) refusal {
	status := http.StatusBadGateway
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		status = http.StatusGatewayTimeout
	}
	return refusal{status: status, why: failureType(err, status), text: "polite proxy: the site has not answered: " + printable.Text(err.Error())}
}

// failureType returns the error type of RFC 9209 for a failure.
func failureType(err error, status int) string {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, other := errors.AsType[x509.HostnameError](err)
	lookUp, isLookUp := errors.AsType[*net.DNSError](err)
	switch {
	case untrusted || other:
		return "tls_certificate_error"
	case isLookUp && lookUp.IsTimeout:
		return "dns_timeout"
	case isLookUp:
		return "dns_error"
	case status == http.StatusGatewayTimeout:
		return "connection_timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection_refused"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "connection_terminated"
	default:
		return "destination_unavailable"
	}
}

// write answers a request with r.
func (r refusal) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set(fieldStatus, "polite; error="+r.why+"; details="+quoted(r.text))
	if r.kind != "" {
		h.Set(fieldRefused, r.kind)
	}
	if r.rule != "" {
		h.Set(fieldRule, r.rule)
	}
	if !r.again.IsZero() {
		h.Set("Retry-After", seconds(time.Until(r.again)))
	}
	w.WriteHeader(r.status)
	io.WriteString(w, r.text+"\n") // to a program that may have gone
}

// seconds returns d as Retry-After has it: at least 1, so that no program comes back at once.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64(max(1, (d+time.Second-1)/time.Second)), 10)
}

// quoted returns text as a string of structured fields (RFC 9651 §3.3.3).
func quoted(text string) string {
	const most = 500
	var b strings.Builder
	for _, r := range text[:min(len(text), most)] {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r > '~':
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

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
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/public"
)

// The kinds of refusals, as the field Polite-Refused has them.
const (
	KindDisallowed = "disallowed" // 403: a rule of robots.txt
	KindUse        = "use"        // 403: the site says no to what the pages are wanted for
	KindPrivate    = "private"    // 403: not an address of the public internet
	KindProtocol   = "protocol"   // 403: not for web pages, such as the port of a mail server
	KindDelayed    = "delayed"    // 429: the turn would come too late
	KindNoRules    = "no-rules"   // 503: there are no rules to go by
	KindStore      = "store"      // 503: the store of the turns has failed
	KindNoHost     = "no-host"    // 502: the host does not exist
	KindLoop       = "loop"       // 508: the request leads back to the proxy
	KindTarget     = "target"     // 400 or 421: not a request for a site, or for another than that of its tunnel
	KindLocked     = "locked"     // 407: the program may not use the proxy
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
	_, again, _ := polite.RetryAt(err)
	text := printable.Text(err.Error())
	switch {
	case errors.Is(err, public.ErrPrivate): // the program does not learn which address a name has
		return refusal{status: http.StatusForbidden, kind: KindPrivate, why: "destination_ip_prohibited", text: public.ErrPrivate.Error()}
	case errors.Is(err, polite.ErrUse):
		return refusal{status: http.StatusForbidden, kind: KindUse, why: denied, rule: lineOf(d, d.Use.Line), text: text}
	case errors.Is(err, polite.ErrDisallowed):
		return refusal{status: http.StatusForbidden, kind: KindDisallowed, why: denied, rule: lineOf(d, d.Rule.Line), text: text}
	case errors.Is(err, polite.ErrStore):
		return refusal{status: http.StatusServiceUnavailable, kind: KindStore, why: "proxy_internal_error", again: again, text: text}
	case errors.Is(err, polite.ErrDelayed):
		return refusal{status: http.StatusTooManyRequests, kind: KindDelayed, why: denied, again: again, text: text}
	case isNoHost(err):
		return refusal{status: http.StatusBadGateway, kind: KindNoHost, why: "dns_error", text: text}
	case errors.Is(err, polite.ErrNoRules):
		return refusal{status: http.StatusServiceUnavailable, kind: KindNoRules, why: "destination_unavailable", again: again, text: text}
	default:
		return failureOf(err, text)
	}
}

const denied = "http_request_denied"

// failureOf returns what a failed request means to a program.
func failureOf(err error, text string) refusal {
	status := http.StatusBadGateway
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		status = http.StatusGatewayTimeout
	}
	return refusal{status: status, why: failureType(err, status), text: "polite proxy: the site has not answered: " + text}
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

// isNoHost reports whether the look-up of the host says that it does not exist.
func isNoHost(err error) bool {
	lookUp, ok := errors.AsType[*net.DNSError](err)
	return errors.Is(err, polite.ErrNoHost) || ok && lookUp.IsNotFound
}

// lineOf returns the place of a line of robots.txt.
func lineOf(d polite.Decision, line int) string { return fmt.Sprintf("%s:%d", d.RobotsURL, line) }

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

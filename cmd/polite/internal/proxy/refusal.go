package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
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
	rule   string // the URL and the line that decided, or ""
	again  time.Time
	text   string
}

// Error returns what the program reads.
func (r refusal) Error() string { return r.text }

// refusalOf returns what an error of the transport means to a program.
func refusalOf(err error) refusal {
	report.NameLimits(err, "--max-wait")
	d, _ := polite.DecisionOf(err)
	told := report.RefusalOf(d, err)
	r := refusal{kind: told.Kind, again: told.Again, text: "polite: " + told.Says}
	if told.Line > 0 {
		r.rule = fmt.Sprintf("%s:%d", d.RobotsURL, told.Line)
	}
	switch told.Kind {
	case report.KindDisallowed, report.KindUse, report.KindPrivate:
		r.status = http.StatusForbidden
	case report.KindDelayed:
		r.status = http.StatusTooManyRequests
	case report.KindStore, report.KindNoRules:
		r.status = http.StatusServiceUnavailable
	case report.KindNoHost:
		r.status = http.StatusBadGateway
	default:
		return failureOf(err)
	}
	return r
}

// failureOf returns what a failed request means to a program.
func failureOf(err error) refusal {
	status := http.StatusBadGateway
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		status = http.StatusGatewayTimeout
	}
	return refusal{status: status, text: "polite proxy: the site has not answered: " + verb.Message(err)}
}

// write answers a request with r.
func (r refusal) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
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

// noStatus is the refusal of an answer whose status is none (RFC 9110 §15): net/http reads it, and
// panics if it is to be written.
func noStatus(code int) refusal {
	return refusal{
		status: http.StatusBadGateway,
		text:   fmt.Sprintf("polite proxy: the site has answered with status %03d, which HTTP does not have", code),
	}
}

// lastHop is the refusal of a request that must go no further (RFC 9110 §7.6.2).
func lastHop(method string) refusal {
	return refusal{
		status: http.StatusNotImplemented, kind: KindTarget,
		text: "polite proxy: Max-Forwards is 0, so the request is for the proxy, which answers no " + method,
	}
}

// loop is the refusal of a request that leads back to the proxy.
func loop() refusal {
	return refusal{
		status: http.StatusLoopDetected, kind: KindLoop,
		text: "polite proxy: the request leads back to this proxy: ask for the site itself, and let no proxy of yours lead here",
	}
}

package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/internal/origin"
)

// An hourly is a RoundTripper that sends so many requests to a host in any hour, and refuses
// the others.
type hourly struct {
	http.RoundTripper
	most int // 0 is any number

	mu   sync.Mutex
	sent map[string][]time.Time // by host, the oldest first
}

// mostHosts is of how many hosts an hourly counts at the same time.
const mostHosts = 10_000

// unsentKey is the key of a request's context for whether it was not sent.
type unsentKey struct{}

// noteKept notes whether a request was answered by a kept page without asking its host.
func noteKept(req *http.Request, k pagecache.Kept) {
	*req.Context().Value(unsentKey{}).(*bool) = !k.Unchanged
}

// RoundTrip counts a request, unless the RoundTripper below did not send it.
func (h *hourly) RoundTrip(req *http.Request) (*http.Response, error) {
	host, unsent := hostOf(req.URL), new(bool)
	at, err := h.count(host)
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	resp, err := h.RoundTripper.RoundTrip(req.WithContext(context.WithValue(req.Context(), unsentKey{}, unsent)))
	if *unsent || isRefusal(err) {
		h.giveBack(host, at)
	}
	return resp, err
}

// hostOf returns the host of a URL, however the model spells it.
func hostOf(u *url.URL) string {
	host := u.Hostname()
	if o, err := origin.OfURL(u); err == nil {
		host = o.Host
	}
	return strings.TrimSuffix(host, ".")
}

// count counts a request that begins now.
func (h *hourly) count(host string) (now time.Time, err error) {
	now = time.Now()
	if h.most <= 0 {
		return now, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget(now)
	sent := h.sent[host]
	switch {
	case len(sent) >= h.most:
		says := "Not sent: %s has had %d requests within an hour, which is the bound that the person who runs this server has set."
		return now, &Refusal{Why: "host", Says: fmt.Sprintf(says, host, h.most), Again: at(sent[0].Add(time.Hour))}
	case sent == nil && len(h.sent) >= mostHosts:
		says := "Not sent: this server has sent requests to %d hosts within an hour, and counts no more."
		return now, &Refusal{Why: "host", Says: fmt.Sprintf(says, mostHosts), Again: at(now.Add(time.Hour))}
	}
	if h.sent == nil {
		h.sent = make(map[string][]time.Time)
	}
	h.sent[host] = append(sent, now)
	return now, nil
}

// forget forgets what was sent more than an hour ago.
func (h *hourly) forget(now time.Time) {
	for host, sent := range h.sent {
		for len(sent) > 0 && now.Sub(sent[0]) >= time.Hour {
			sent = sent[1:]
		}
		if len(sent) == 0 {
			delete(h.sent, host)
		} else {
			h.sent[host] = sent
		}
	}
}

// giveBack counts a request no more.
func (h *hourly) giveBack(host string, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.IndexFunc(h.sent[host], at.Equal); i >= 0 {
		h.sent[host] = slices.Delete(h.sent[host], i, i+1)
	}
}

func isRefusal(err error) bool { return errors.Is(err, polite.ErrRefused) }

// A hurried is a RoundTripper that gives up a request which is not written in time. polite bounds what
// a request waits for robots.txt and for its turn. What it waits for the file that runs of polite share
// counts here, too.
type hurried struct {
	http.RoundTripper
	most time.Duration
}

// grace is for what polite does besides waiting: it knows better why a turn comes too late.
const grace = 2 * time.Second

// RoundTrip sends a request.
func (h hurried) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context()) // which ends with the call
	late := time.AfterFunc(h.most+grace, func() {
		says := fmt.Sprintf("%s was not sent: its turn has not come in %v.", excerpt(req.URL.Redacted()), h.most)
		cancel(&Refusal{Why: report.KindDelayed, Says: says, Again: at(time.Now().Add(h.most))})
	})
	defer late.Stop()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { late.Stop() }})
	return h.RoundTripper.RoundTrip(req.WithContext(ctx))
}

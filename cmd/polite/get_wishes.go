package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/go-polite/polite/internal/origin"
)

// wishes are how get asks for a page.
type wishes struct {
	head    bool          // for its header alone
	header  http.Header   // what is sent, too
	longest time.Duration // for a page, its waits included; 0 for any
}

// add adds a header as a user writes it. The error does not show its value, which may be a
// secret.
func (w *wishes) add(header string) error {
	name, value, ok := strings.Cut(header, ":")
	name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
	switch {
	case !ok || !httpguts.ValidHeaderFieldName(name):
		return errors.New(`-H takes a name and a value, as in "Accept-Language: de"`)
	case !httpguts.ValidHeaderFieldValue(value):
		return fmt.Errorf("-H: the value of %s has a control character", name)
	case name == "User-Agent":
		return errors.New("-H: write the User-Agent with -A, since robots.txt is about the crawler that it names")
	case name == "Host":
		return errors.New("-H: write the host in the URL, since robots.txt is that of this host")
	case isOurs(name):
		return fmt.Errorf("-H: polite sets %s itself", name)
	}
	if w.header == nil {
		w.header = make(http.Header)
	}
	w.header.Add(name, value)
	return nil
}

// isOurs reports whether a header says how the request itself is sent.
func isOurs(name string) bool {
	switch name {
	case "Connection", "Content-Length", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade":
		return true
	}
	return false
}

// request returns the request for a page.
func (w *wishes) request(ctx context.Context, u *url.URL) (*http.Request, error) {
	method := http.MethodGet
	if w.head {
		method = http.MethodHead
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err == nil && w.header != nil {
		req.Header = w.header.Clone()
	}
	return req, err
}

// redirected lets a redirect to another site go without our header, which may have a
// secret.
func (w *wishes) redirected(req *http.Request, via []*http.Request) error {
	const most = 10 // as net/http has it
	if len(via) >= most {
		return fmt.Errorf("stopped after %d redirects", most)
	}
	if !sameSite(req.URL, via[0].URL) {
		for name := range w.header {
			req.Header.Del(name)
		}
	}
	return nil
}

func sameSite(a, b *url.URL) bool {
	first, err := origin.OfURL(a)
	second, otherErr := origin.OfURL(b)
	return err == nil && otherErr == nil && first.String() == second.String()
}

// within returns the context for a page. Its cause tells if the page took too long.
func (w *wishes) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.longest == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, w.longest, fmt.Errorf("it takes longer than the %v of --max-time", w.longest))
}

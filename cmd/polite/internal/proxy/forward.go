package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/send"
)

// A forwarder sends the requests of programs through the transport.
type forwarder struct {
	transport http.RoundTripper
	robots    func(context.Context, *url.URL) (Robots, error)
	maxWait   time.Duration
	via       string
	counts    *counts
	buffers   sync.Pool // of *[]byte
}

// forward answers r, which is for a page of a site.
func (f *forwarder) forward(w http.ResponseWriter, r *http.Request, at origin.Origin) {
	f.counts.add(func(t *Tally) { t.Requests++ })
	switch {
	case hasPassed(r.Header, f.via):
		f.refuse(w, loop())
		return
	case !forwardOnce(r):
		f.refuse(w, lastHop(r.Method))
		return
	}
	ctx := polite.With(r.Context(), polite.Options{MaxWait: f.maxWait})
	if f.robots != nil && isRobots(r) && f.tellRobots(ctx, w, at.RobotsURL()) {
		return
	}
	hold, err := bodyOf(r)
	if err != nil {
		f.fail(ctx, w, err)
		return
	}
	in := r.WithContext(ctx)
	in.Body, in.GetBody = hold.body, hold.again
	(&httputil.ReverseProxy{
		Transport: sender{f.transport}, FlushInterval: -1, BufferPool: f, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite:        func(p *httputil.ProxyRequest) { f.rewrite(p, at) },
		ModifyResponse: func(resp *http.Response) error { return f.modify(w, r, resp) },
		ErrorHandler:   func(w http.ResponseWriter, out *http.Request, err error) { f.fail(out.Context(), w, err) },
	}).ServeHTTP(interim{w, r.ProtoAtLeast(1, 1)}, in)
}

// rewrite makes a request what the site gets. Its path, its query and what other proxies say of
// themselves stay as they are.
func (f *forwarder) rewrite(p *httputil.ProxyRequest, at origin.Origin) {
	u := *p.In.URL
	u.Scheme, u.Host, _ = strings.Cut(at.String(), "://")
	p.Out.URL, p.Out.Host, p.Out.RequestURI = &u, "", ""
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := p.In.Header[name]; ok {
			p.Out.Header[name] = values
		}
	}
	p.Out.Trailer = p.In.Trailer // gets its values with the end of the body
	if isWebSocket(p.In) {
		p.Out.Header.Set("Upgrade", "websocket")
	} else {
		p.Out.Header.Del("Connection")
		p.Out.Header.Del("Upgrade")
	}
	if f.via != "" {
		p.Out.Header.Add("Via", "1.1 "+f.via)
	}
}

// modify makes an answer what the program gets.
func (f *forwarder) modify(w http.ResponseWriter, r *http.Request, resp *http.Response) error {
	if resp.StatusCode < http.StatusContinue {
		return noStatus(resp.StatusCode)
	}
	f.counts.add(func(t *Tally) { t.Sent++ })
	upgrade := resp.Header.Get("Upgrade")
	answerFields(resp.Header)
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return joined(r, resp, upgrade)
	}
	trailerFields(resp.Trailer)
	if len(resp.Trailer) > 0 {
		resp.Header.Del("Content-Length") // with it, HTTP/1.1 has no trailers
	}
	if _, said := resp.Header["Content-Type"]; !said {
		w.Header()["Content-Type"] = nil // net/http must not guess a type
	}
	resp.Body = body{resp.Body, func() http.Header { return resp.Trailer }}
	http.NewResponseController(w).EnableFullDuplex() // the answer may come before the body is over
	return nil
}

// A sender sends what a program asks for, unless the program hangs up.
type sender struct{ http.RoundTripper }

func (s sender) RoundTrip(out *http.Request) (*http.Response, error) {
	if out.Header.Get("User-Agent") == "" {
		out.Header.Del("User-Agent") // ReverseProxy says that there is none
	}
	out = stopIfGone(out, out)
	resp, err := s.RoundTripper.RoundTrip(out)
	if err != nil && out.Context().Err() != nil {
		err = errGone
	}
	return resp, err
}

// An interim passes interim answers on, such as 103, with the fields that a program may get. A
// program of HTTP/1.0 gets none (RFC 9110 §15.2).
type interim struct {
	http.ResponseWriter
	reads bool
}

func (i interim) WriteHeader(code int) {
	if code < http.StatusOK {
		answerFields(i.Header())
		if !i.reads {
			return
		}
	}
	i.ResponseWriter.WriteHeader(code)
}

// Unwrap is for http.ResponseController.
func (i interim) Unwrap() http.ResponseWriter { return i.ResponseWriter }

// Get returns a buffer for a body.
func (f *forwarder) Get() []byte {
	if b, ok := f.buffers.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, 32<<10)
}

// Put keeps a buffer for another body.
func (f *forwarder) Put(b []byte) { f.buffers.Put(&b) }

// tellRobots answers a program's own request for robots.txt. It reports whether the answer is
// known.
func (f *forwarder) tellRobots(ctx context.Context, w http.ResponseWriter, u *url.URL) bool {
	wait, cancel := context.WithTimeout(ctx, f.maxWait)
	defer cancel()
	file, err := f.robots(wait, u)
	switch {
	case err != nil:
		f.fail(ctx, w, err)
		return true
	case file.Known:
		f.counts.add(func(t *Tally) { t.Robots++ })
		file.write(w)
	}
	return file.Known
}

// fail answers a request that was refused or that has failed. ctx ends when its program hangs
// up.
func (f *forwarder) fail(ctx context.Context, w http.ResponseWriter, err error) {
	if ctx.Err() != nil || errors.Is(err, errGone) {
		f.counts.add(func(t *Tally) { t.Left++ })
		panic(http.ErrAbortHandler) // nobody hears an answer
	}
	r, ours := errors.AsType[refusal](err)
	if !ours {
		r = refusalOf(err)
	}
	f.refuse(w, r)
}

func (f *forwarder) refuse(w http.ResponseWriter, r refusal) {
	if r.kind == "" {
		f.counts.add(func(t *Tally) { t.Failed++ })
	} else {
		f.counts.refused(r.kind)
	}
	r.write(w)
}

type connKey struct{}

// over returns a context that knows the connection of a program.
func over(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

var errGone = errors.New("the program has hung up")

// stopIfGone returns out, which is r as the site gets it. It ends before it is written to the
// site if the program has hung up. net/http tells this by itself only once it has read the body
// of r, and a moment later.
func stopIfGone(out, r *http.Request) *http.Request {
	conn, ok := r.Context().Value(connKey{}).(*boundedConn)
	if !ok || r.ProtoMajor != 1 {
		return out
	}
	ctx, cancel := context.WithCancelCause(out.Context())
	gone := make(chan struct{})
	end := sync.OnceFunc(func() {
		cancel(errGone)
		close(gone)
	})
	out = out.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(to httptrace.GotConnInfo) {
		if hasHungUp(conn) {
			end()
			if !send.IsHTTP2(to.Conn) {
				to.Conn.Close() // else net/http would write the request all the same
			}
		}
	}}))
	//lint:ignore SA1019 the end of a context does not always reach HTTP/2 before it writes
	out.Cancel = gone
	return out
}

// mostHeld is the longest body that is read before the request has its turn.
const mostHeld = 64 << 10

// A held is the body of a request, as the transport gets it.
type held struct {
	body  io.ReadCloser
	again func() (io.ReadCloser, error) // nil if it cannot be sent again
}

// bodyOf returns the body of r. A short one is read now: then net/http tells if the program hangs
// up while the request waits, and the request can be sent again. But the program that asks
// whether to send it (Expect) is asked for it only when the site wants it.
func bodyOf(r *http.Request) (held, error) {
	if r.ContentLength == 0 {
		return held{}, nil
	}
	trailerFields(r.Trailer) // what is announced
	if r.ContentLength < 0 || r.ContentLength > mostHeld || r.Header.Get("Expect") != "" {
		return held{body: body{r.Body, func() http.Header { return r.Trailer }}}, nil
	}
	all, err := io.ReadAll(r.Body)
	if err != nil {
		return held{}, err
	}
	again := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(all)), nil }
	first, err := again()
	return held{first, again}, err
}

// A body drops what its trailers must not say. They have their values at its end.
type body struct {
	io.ReadCloser
	trailer func() http.Header
}

func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		trailerFields(b.trailer())
	}
	return n, err
}

// Robots is the robots.txt of a site, as far as it is known.
type Robots struct {
	Known  bool   // if false, the site has to be asked
	Status int    // that the site has answered: 200, 404, …
	Body   []byte // as the site has sent it
}

// isRobots reports whether a program asks for a robots.txt.
func isRobots(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.URL.EscapedPath() == "/robots.txt" && r.URL.RawQuery == "" && !r.URL.ForceQuery
}

// write answers a program's own request for robots.txt.
func (file Robots) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(file.Body)))
	h.Set("Cache-Control", "no-cache") // the next request is answered with what is known then
	w.WriteHeader(file.Status)
	w.Write(file.Body)
}

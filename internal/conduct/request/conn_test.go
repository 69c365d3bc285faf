package request

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// What happens on a connection besides a request and its answer.
func TestContractConnection(t *testing.T) {
	onSockets(t, []check{
		{"body read to its end", nil, pair((*witness).read), "connections: 1"},
		{"body closed early", origintest.Endless("", "a page\n"), pair((*witness).drop), "connections: 2"},
		{"closed by the server", origintest.Status(200, "Connection", "close"), pair((*witness).read), "connections: 2"},
		{"CloseIdleConnections", nil, pair((*witness).read, closeIdle), "connections: 2"},
		{"Client.CloseIdleConnections", nil, pair((*witness).read, closeIdleOfClient), "connections: 2"},
		{"early hints", earlyHints, visited(plain, traced("GET", plain)), "103 </style.css>"},
		{"early hints by HTTP/2", earlyHints, visited(secure, traced("GET", secure)), "103 </style.css>"},
		{"hooks", nil, visited(plain, traced("GET", plain)),
			"hooks: [ConnectDone ConnectStart GetConn GotConn, reused: false GotFirstResponseByte WroteHeaders WroteRequest: <nil>]"},
		{"hooks of TLS", nil, visited(secure, traced("GET", secure)), "TLSHandshakeDone: h2"},
		{"expectation met", nil, visited(plain, traced("POST", plain, sized("a=b"), expecting)), "Got100Continue"},
		{"expectation met by HTTP/2", nil, visited(secure, traced("POST", secure, sized("a=b"), expecting)), "Got100Continue"},
		{"expectation failed", origintest.Status(417), traced("POST", plain, unread, expecting), "417 Expectation Failed"},
		{"upgrade", shout, upgrade, `read: "HELLO\nBYE\n", <nil>`},
		{"duplex", murmur, converse(plain), "heard: ping 2"},
		{"duplex by HTTP/2", murmur, converse(secure), "heard: ping 2"},
	})
}

// A request ends with its context, and the server sees that.
func TestContractContext(t *testing.T) {
	onSockets(t, []check{
		{"ended before", nil, ended(context.Canceled), "error: context canceled\nbody closed 1 times"},
		{"ended before, with a cause", nil, ended(errors.New("enough")), "error: enough\nbody closed 1 times"},
		{"ended before, rules known", nil, visited(plain, ended(errors.New("enough"))), "error: enough\nbody closed 1 times"},
		{"ended before the header", nil, endedBeforeHeader(plain), "error: context canceled\nbody closed 1 times"},
		{"ended before the HTTP/2 header", nil, endedBeforeHeader(secure), "error: context canceled\nbody closed 1 times"},
		{"ended in the body", nil, endedInBody(plain), `read: "", context canceled`},
		{"ended in the HTTP/2 body", nil, endedInBody(secure), `read: "", context canceled`},
	})
	inMemory(t, []check{
		{"deadline before the header", drained(origintest.Hang), within(time.Second), "after 1s\nerror: context deadline exceeded\nbody closed 1 times"},
		{"deadline in the body", drained(origintest.HangAfter("beginning")), within(time.Second), `body: "beginning", context deadline exceeded`},
		{"deadline kept", drained(origintest.Delay(time.Second, echo)), within(time.Minute), "after 1s\nHTTP/1.1 200 OK"},
	})
}

// pair sends two requests, and takes some steps after each.
func pair(steps ...func(*witness, *http.Response)) func(*witness) {
	return func(w *witness) {
		for range 2 {
			resp, err := w.roundTrip(w.request("GET", plain))
			if !assert.NoError(w.t, err) {
				return
			}
			for _, step := range steps {
				step(w, resp)
			}
		}
		w.connections()
	}
}

func (w *witness) read(resp *http.Response) {
	body, err := io.ReadAll(resp.Body)
	w.note("read: %s, %v", brief(body), err)
	w.note("closed: %v", resp.Body.Close())
}

func (w *witness) drop(resp *http.Response) { w.note("closed: %v", resp.Body.Close()) }

func closeIdle(w *witness, _ *http.Response) {
	w.transport.(interface{ CloseIdleConnections() }).CloseIdleConnections()
}

func closeIdleOfClient(w *witness, _ *http.Response) {
	(&http.Client{Transport: w.transport}).CloseIdleConnections()
}

// visited visits url before it acts.
func visited(url string, act func(*witness)) func(*witness) {
	return func(w *witness) {
		w.visit(url)
		act(w)
	}
}

// traced makes one exchange and notes which hooks were called. Some of them are
// called at the same time, so that their order tells nothing.
func traced(method, url string, edits ...edit) func(*witness) {
	return func(w *witness) {
		w.base.ExpectContinueTimeout = time.Minute
		calls, wrote := &witness{}, make(chan struct{})
		trace := hooks(calls.note)
		trace.WroteRequest = func(info httptrace.WroteRequestInfo) {
			calls.note("WroteRequest: %v", info.Err)
			close(wrote)
		}
		req := w.request(method, url, edits...)
		w.exchange(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
		w.await(wrote, "the request is written, which may come after its answer")
		calls.mu.Lock()
		defer calls.mu.Unlock()
		slices.Sort(calls.notes)
		w.note("hooks: %v", calls.notes)
	}
}

func hooks(note func(string, ...any)) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn:              func(string) { note("GetConn") },
		GotConn:              func(info httptrace.GotConnInfo) { note("GotConn, reused: %t", info.Reused) },
		GotFirstResponseByte: func() { note("GotFirstResponseByte") },
		Got100Continue:       func() { note("Got100Continue") },
		Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
			note("%d %s", code, header.Get("Link"))
			return nil
		},
		ConnectStart:     func(string, string) { note("ConnectStart") },
		ConnectDone:      func(string, string, error) { note("ConnectDone") },
		TLSHandshakeDone: func(state tls.ConnectionState, _ error) { note("TLSHandshakeDone: %s", state.NegotiatedProtocol) },
		WroteHeaders:     func() { note("WroteHeaders") },
		Wait100Continue:  func() { note("Wait100Continue") },
	}
}

func earlyHints(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Link", "</style.css>")
	w.WriteHeader(http.StatusEarlyHints)
	echo(w, r)
}

func expecting(req *http.Request) *http.Request { return header("Expect", "100-continue")(req) }

// unread gives the request a body that must not be read.
func unread(req *http.Request) *http.Request {
	return from(readerFunc(func([]byte) (int, error) { panic("the body is read") }))(req)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// upgrade leaves HTTP, and closes its half of the connection before it reads.
func upgrade(w *witness) {
	resp, err := w.roundTrip(w.request("GET", plain, header("Connection", "Upgrade"), header("Upgrade", "shout")))
	if !assert.NoError(w.t, err) {
		return
	}
	w.note("%s, header: %v", resp.Status, resp.Header)
	conn, ok := resp.Body.(interface {
		io.ReadWriteCloser
		CloseWrite() error
	})
	if !assert.True(w.t, ok, "the connection can be written to, and half closed") {
		return
	}
	_, err = io.WriteString(conn, "hello\n")
	w.note("written: %v, %v", err, conn.CloseWrite())
	w.read(resp)
}

// shout answers in capitals.
func shout(w http.ResponseWriter, _ *http.Request) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n")
	text, _ := io.ReadAll(buffered)
	io.WriteString(conn, strings.ToUpper(string(text))+"BYE\n")
}

// converse speaks, and listens, and speaks again.
func converse(url string) func(*witness) {
	return func(w *witness) {
		mine, mouth := io.Pipe()
		resp, err := w.roundTrip(w.request("POST", url, from(mine)))
		if !assert.NoError(w.t, err) {
			return
		}
		ear := bufio.NewScanner(resp.Body)
		for i := range 3 {
			fmt.Fprintf(mouth, "ping %d\n", i)
			w.note("%t, heard: %s", ear.Scan(), ear.Text())
		}
		mouth.Close()
		w.note("%t, %v, closed: %v", ear.Scan(), ear.Err(), resp.Body.Close())
	}
}

// murmur repeats each line that it hears.
func murmur(w http.ResponseWriter, r *http.Request) {
	answer := http.NewResponseController(w)
	answer.EnableFullDuplex()
	answer.Flush()
	for lines := bufio.NewScanner(r.Body); lines.Scan(); answer.Flush() {
		fmt.Fprintln(w, lines.Text())
	}
}

// ended sends a request whose context has ended.
func ended(cause error) func(*witness) {
	return func(w *witness) {
		ctx, cancel := context.WithCancelCause(w.t.Context())
		cancel(cause)
		w.exchange(w.request("POST", plain, sized("a=b"), in(ctx)))
		w.arrived()
	}
}

// endedBeforeHeader sends a request that ends when it has arrived.
func endedBeforeHeader(url string) func(*witness) {
	return func(w *witness) {
		ctx, cancel := context.WithCancel(w.t.Context())
		gone := make(chan struct{})
		w.web.Page("example.com", "/page", drained(func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
			close(gone)
		}))
		w.exchange(w.request("POST", url, sized("a=b"), in(ctx)))
		w.await(gone, "the server sees that")
	}
}

// endedInBody sends a request that ends when the beginning of the answer is read.
func endedInBody(url string) func(*witness) {
	return func(w *witness) {
		ctx, cancel := context.WithCancel(w.t.Context())
		gone := make(chan struct{})
		w.web.Page("example.com", "/page", func(rw http.ResponseWriter, r *http.Request) {
			origintest.HangAfter("beginning")(rw, r)
			close(gone)
		})
		resp, err := w.roundTrip(w.request("GET", url, in(ctx)))
		if !assert.NoError(w.t, err) {
			cancel()
			return
		}
		_, err = io.ReadFull(resp.Body, make([]byte, len("beginning")))
		w.note("beginning: %v", err)
		cancel()
		w.read(resp)
		w.await(gone, "the server sees that")
	}
}

// within sends a request with a deadline.
func within(d time.Duration) func(*witness) {
	return func(w *witness) {
		ctx, cancel := context.WithTimeout(w.t.Context(), d)
		defer cancel()
		start := time.Now()
		req := w.request("POST", plain, sized("a=b"), in(ctx))
		resp, err := w.roundTrip(req)
		w.note("after %v", time.Since(start))
		w.describe(resp, err)
		w.closed(req)
	}
}

// drained answers when it has read the request, without which a server does not
// see the client go.
func drained(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		next(w, r)
	}
}

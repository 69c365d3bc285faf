package send

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errEnough = errors.New("enough")

func take(t *testing.T, ls *lane.Lanes[string], terms lane.Terms) *lane.Ticket {
	terms.MaxQueue = 9
	ticket, err := ls.Take(t.Context(), "a.example", terms)
	require.NoError(t, err)
	return ticket
}

// connect does for a request what net/http does when it has a connection. It reports whether the connection is open.
func connect(req *http.Request) (open bool) {
	trace := httptrace.ContextClientTrace(req.Context())
	conn, _ := net.Pipe()
	trace.GotConn(httptrace.GotConnInfo{Conn: conn})
	if trace.WroteHeaders != nil {
		trace.WroteHeaders()
	}
	return conn.SetDeadline(time.Now()) == nil
}

// The error of a request that was not written says why: the caller has gone, or the lane has ended it.
func TestUnwritten(t *testing.T) {
	late, other := &lane.LateError{}, errors.New("other")
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errEnough)
	over, end := context.WithDeadline(t.Context(), time.Now())
	defer end()
	for _, tt := range []struct {
		name          string
		ctx           context.Context
		failure, want error
	}{
		{"late", t.Context(), late, late},
		{"the rules have changed", t.Context(), lane.ErrRules, lane.ErrRules},
		{"it was written", t.Context(), lane.ErrWritten, lane.ErrWritten},
		{"cancelled in the old way", t.Context(), errCancelled, errCancelled},
		{"a break: it is sent back", t.Context(), lane.ErrBreak, other},
		{"the caller has gone", cancelled, lane.ErrRules, errEnough},
		{"the caller has gone, and it is late", cancelled, late, errEnough},
		{"the deadline has come", over, lane.ErrRules, context.DeadlineExceeded},
		{"the deadline has come, so it is late", over, late, late},
	} {
		assert.Equal(t, tt.want, unwritten(tt.ctx, tt.failure, other), tt.name)
	}
}

// A function that sends is asked to wait for its connection only if the one before has told of its connection.
func TestSendBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls := newPacer()
		var s Sender
		require.NoError(t, s.Use(nil, new(http.Transport), func() { t.Error("it is not late") }))
		for _, tt := range []struct {
			name      string
			tells     bool // of its connection
			resp      *http.Response
			err, want error
			asks      bool // from now on
		}{
			{name: "it tells nothing", resp: new(http.Response)},
			{name: "it tells", tells: true, resp: new(http.Response), asks: true},
			{name: "it is asked, and tells", tells: true, resp: new(http.Response), asks: true},
			{name: "it fails, and has told nothing", err: io.EOF, want: io.EOF, asks: true},
			{name: "it returns nothing, and has told nothing", want: errNothing},
			{name: "it fails, and has told", tells: true, err: io.EOF, want: io.EOF, asks: true},
		} {
			before := s.asks.Load()
			turn := take(t, ls, lane.Terms{Gap: time.Second})
			of, stop := context.WithCancel(t.Context())
			var own context.Context
			req, asks, asked := httptest.NewRequest("GET", "http://a.example/", nil).WithContext(of), false, false
			changed := func() (bool, time.Duration) { asks = true; return false, 0 } // is called when it asks
			resp, err := s.Send(req, turn, changed, func(out *http.Request) (*http.Response, error) {
				asked, own = asks, out.Context()
				assert.ErrorIs(t, s.Loop(out, false), errLent, tt.name)
				if tt.tells {
					connect(out)
				}
				if tt.resp != nil {
					tt.resp.Request = out
				}
				return tt.resp, tt.err
			})
			assert.Equal(t, !before, asked, tt.name)
			assert.Equal(t, tt.want, err, tt.name)
			assert.Equal(t, tt.asks, s.asks.Load(), tt.name)
			if tt.resp != nil {
				assert.Same(t, req, resp.Request)
				assert.Equal(t, http.NoBody, resp.Body)
			}
			turn.Done()
			assert.Error(t, own.Err(), "no other request has its connection")
			stop()
		}
		req := httptest.NewRequest("GET", "http://a.example/", nil)
		assert.NoError(t, s.Loop(req, true))
		assert.ErrorIs(t, s.Loop(req.WithContext(s.Mark(req.Context())), true), ErrLoop)

		s.asks.Store(true)
		changes := func() (bool, time.Duration) { return true, 0 }
		turn := take(t, ls, lane.Terms{Gap: time.Second})
		resp, err := s.Send(req, turn, changes, func(out *http.Request) (*http.Response, error) {
			assert.False(t, connect(out), "net/http would write on it")
			return new(http.Response), nil // it does not hear that the request must not be written
		})
		assert.NoError(t, err)
		assert.NotNil(t, resp)
		assert.Equal(t, lane.ErrRules, turn.Failure())
		turn.Done()
		for _, refused := range []bool{true, false} {
			turn = take(t, ls, lane.Terms{Gap: time.Second})
			ctx, cancel := context.WithCancelCause(t.Context())
			_, err = s.Send(req.WithContext(ctx), turn, func() (bool, time.Duration) { return refused, 0 }, func(out *http.Request) (*http.Response, error) {
				connect(out)
				if !refused {
					cancel(errEnough)
				}
				return nil, io.EOF
			})
			want := io.EOF // what was written fails as the sender says
			if refused {
				want = lane.ErrRules
			}
			assert.Equal(t, want, err)
			cancel(nil)
			turn.Done()
		}

		s.asks.Store(false)
		turn = take(t, ls, lane.Terms{Gap: time.Second})
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errEnough)
		body := &closing{Reader: strings.NewReader("")}
		_, err = s.Send(httptest.NewRequest("POST", "http://a.example/", body).WithContext(ctx), turn, nil, func(*http.Request) (*http.Response, error) {
			t.Error("it must not be sent")
			return nil, nil
		})
		assert.ErrorIs(t, err, errEnough)
		assert.True(t, body.closed)
	})
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// A request without a ticket of its own is stopped before it is sent, when it has a connection, and when its turn above has
// come.
func TestGuard(t *testing.T) {
	for _, above := range []bool{false, true} {
		for stops, want := range []struct{ sent, answered bool }{{}, {sent: true}, {sent: true}, {true, true}} {
			synctest.Test(t, func(t *testing.T) {
				asked, sent, took := 0, false, time.Duration(-1)
				g := Guard{
					Stopped: func() error {
						if asked++; asked == stops+1 {
							return errEnough
						}
						return nil
					},
					Connected: func(d time.Duration) { took = d },
				}
				if above {
					g.Take = func(ctx context.Context) (*lane.Ticket, error) {
						return take(t, newPacer(), lane.Terms{Gap: time.Second}), nil
					}
				}
				resp, err := g.Send(origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
					sent = true
					time.Sleep(time.Second)
					open, err := connect(req), context.Cause(req.Context())
					if assert.Equal(t, err == nil, open, "net/http would write on it"); err != nil {
						return nil, io.EOF
					}
					return origintest.Response(req, 200, "a page"), nil
				}), httptest.NewRequest("GET", "http://a.example/", nil))
				if !above && stops == 2 {
					want.answered = true // it is asked twice
				}
				assert.Equal(t, want.sent, sent, stops)
				assert.Equal(t, want.answered, resp != nil, stops)
				if want.answered {
					assert.NoError(t, err)
					resp.Body.Close()
				} else {
					assert.Equal(t, errEnough, err, stops)
				}
				if sent {
					assert.Equal(t, time.Second, took)
				}
			})
		}
	}
	_, err := Guard{Stopped: func() error { return nil }, Take: func(context.Context) (*lane.Ticket, error) { return nil, errEnough }}.Send(nil, httptest.NewRequest("GET", "http://a.example/", nil))
	assert.Equal(t, errEnough, err)
	ls := newPacer()
	_, err = Guard{Stopped: func() error { return nil }, Take: func(context.Context) (*lane.Ticket, error) {
		ticket := take(t, ls, lane.Terms{Gap: time.Second, MaxWait: time.Second})
		ls.Break("a.example", time.Now().Add(time.Hour))
		return ticket, nil
	}}.Send(origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		assert.False(t, connect(req), "there is a break above")
		return nil, io.EOF
	}), httptest.NewRequest("GET", "http://a.example/", nil))
	assert.ErrorAs(t, err, new(*lane.LateError))
	resp, err := Guard{Stopped: func() error { return nil }}.Send(origintest.RoundTripper(func(req *http.Request) (*http.Response, error) { return nil, io.EOF }), httptest.NewRequest("GET", "http://a.example/", nil))
	assert.Nil(t, resp)
	assert.Equal(t, io.EOF, err)
}

// A request can be sent again if it has no body, or one that can be had again.
func TestAgain(t *testing.T) {
	body := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("again")), nil }
	fails := func() (io.ReadCloser, error) { return nil, io.EOF }
	for _, tt := range []struct {
		req        *http.Request
		replayable bool
		text       string
		err        error
	}{
		{&http.Request{}, true, "", nil},
		{&http.Request{Body: http.NoBody}, true, "", nil},
		{&http.Request{Body: io.NopCloser(strings.NewReader("once"))}, false, "once", nil},
		{&http.Request{Body: io.NopCloser(strings.NewReader("")), GetBody: body}, true, "again", nil},
		{&http.Request{Body: io.NopCloser(strings.NewReader("")), GetBody: fails}, true, "", io.EOF},
	} {
		assert.Equal(t, tt.replayable, Replayable(tt.req))
		req, err := Again(tt.req)
		assert.Equal(t, tt.err, err)
		if err == nil && req.Body != nil {
			text, _ := io.ReadAll(req.Body)
			assert.Equal(t, tt.text, string(text))
		}
		assert.Equal(t, tt.req.GetBody == nil, req == tt.req)
	}
}

// A base may let requests wait for a connection, and says so. It may share connections without TLS, too.
func TestWireOf(t *testing.T) {
	shared := new(http.Protocols)
	shared.SetUnencryptedHTTP2(true)
	for _, tt := range []struct {
		base           http.RoundTripper
		delays, shares bool
		tells          bool
	}{
		{new(http.Transport), false, false, true},
		{&http.Transport{DisableKeepAlives: true}, true, false, true},
		{&http.Transport{MaxIdleConnsPerHost: -1}, true, false, true},
		{&http.Transport{MaxConnsPerHost: 1}, true, false, true},
		{&http.Transport{Protocols: new(http.Protocols)}, false, false, true},
		{&http.Transport{Protocols: shared}, false, true, true},
		{origintest.RoundTripper(nil), false, false, false},
	} {
		var s Sender
		require.NoError(t, s.Use(tt.base, nil, nil))
		assert.Equal(t, tt.delays, s.Delays(), "%+v", tt.base)
		assert.Equal(t, tt.shares, s.wire.shares, "%+v", tt.base)
		assert.Equal(t, tt.tells, s.Tells(), "%+v", tt.base)
		s.tells.Store(true)
		assert.True(t, s.Tells())
	}
}

// On a shared connection a request whose context never ends is written, too.
func TestSharedConnection(t *testing.T) {
	turn := take(t, newPacer(), lane.Terms{Gap: time.Second})
	req := httptest.NewRequest("GET", "http://a.example/", nil)
	assert.True(t, connect((&wire{shares: true}).hooked(req, turn, nil)))
	assert.NoError(t, turn.Failure())
}

// A context that can be ended ends with that of the caller, has its deadline and its values, and lets go of it once the
// answer is done: on a shared connection a little later.
func TestEndable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		for _, streams := range []bool{false, true} {
			of, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "value"), time.Hour)
			ctx, _, release := endable(of)
			assert.Equal(t, "value", ctx.Value(key{}))
			deadline, ok := ctx.Deadline()
			assert.True(t, ok && deadline.Equal(time.Now().Add(time.Hour)))
			assert.NoError(t, ctx.Err())
			ctx.(*endableContext).streams.Store(streams)
			release()
			assert.Equal(t, !streams, ctx.Err() != nil)
			time.Sleep(resetTime - 1)
			assert.Equal(t, !streams, ctx.Err() != nil)
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			assert.Equal(t, context.Canceled, ctx.Err())
			cancel()
		}
		of, cancel := context.WithCancelCause(t.Context())
		cancel(errEnough)
		ctx, _, release := endable(of)
		assert.Equal(t, errEnough, context.Cause(ctx), "at once")
		release()
		of, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		ctx, end, release := endable(of)
		end(errEnough)
		assert.Equal(t, context.Canceled, ctx.Err())
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, context.DeadlineExceeded, ctx.Err(), "that of the caller")
		assert.Equal(t, errEnough, context.Cause(ctx))
		release()
		ctx, end, release = endable(context.Background())
		assert.Nil(t, release)
		end(errEnough)
		assert.Equal(t, errEnough, context.Cause(ctx))

		req := httptest.NewRequest("GET", "/", nil)
		for after, want := range map[time.Duration]error{time.Second / 2: errCancelled, time.Second: context.DeadlineExceeded} {
			of, stop := context.WithTimeout(t.Context(), time.Second)
			cancelled := make(chan struct{})
			req.Cancel = cancelled //lint:ignore SA1019 net/http still hears it
			ctx, release := Context(req.WithContext(withoutErr{of}))
			time.Sleep(after)
			assert.NoError(t, ctx.Err())
			close(cancelled)
			synctest.Wait()
			assert.Equal(t, want, context.Cause(ctx))
			release()
			stop()
		}
	})
}

// withoutErr is a context that ends a moment after its deadline.
type withoutErr struct{ context.Context }

func (withoutErr) Done() <-chan struct{} { return nil }
func (withoutErr) Err() error            { return nil }

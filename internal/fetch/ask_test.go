package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The user's code may panic, or end its goroutine, wherever it is called.
func TestPanicAndGoexit(t *testing.T) {
	for problem, end := range map[string]func(){"panic in": func() { panic("boom") }, "ended by": runtime.Goexit} {
		places := map[string]struct {
			base  base
			check func(from, to *url.URL) error
			whose string
		}{
			"RoundTrip":     {base: func(*http.Request) (*http.Response, error) { end(); return nil, nil }, whose: "the transport"},
			"the body":      {base: answer(200, reader(func([]byte) (int, error) { end(); return 0, nil })), whose: "the transport"},
			"Close":         {base: answer(200, closer{strings.NewReader(body), end}), whose: "the transport"},
			"an error":      {base: func(*http.Request) (*http.Response, error) { return nil, failing(end) }, whose: "the transport"},
			"CheckRedirect": {base: answer(302, nil, "Location", "/r.txt"), check: func(*url.URL, *url.URL) error { end(); return nil }, whose: "CheckRedirect"},
		}
		for name, place := range places {
			o := options(place.base, time.Minute)
			if place.check != nil {
				o.Redirects.Check = place.check
			}
			_, err := get(t, fetch.New(o), example)
			assert.ErrorContains(t, err, problem+" "+place.whose, name)
		}
		// A status that has come is an answer, whatever becomes of its body.
		got, err := ask(t, answer(404, reader(func([]byte) (int, error) { end(); return 0, nil })))
		require.NoError(t, err)
		assert.Equal(t, 404, got.Status)
	}
}

// answer is a base that answers every request.
func answer(status int, body io.Reader, header ...string) base {
	return func(*http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: -1}
		for i := 0; i+1 < len(header); i += 2 {
			resp.Header.Set(header[i], header[i+1])
		}
		switch body := body.(type) {
		case nil:
			resp.Body = http.NoBody
		case io.ReadCloser:
			resp.Body = body
		default:
			resp.Body = io.NopCloser(body)
		}
		return resp, nil
	}
}

type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

type failing func()

func (f failing) Error() string { f(); return "" }

// A Base that heeds no context keeps nobody waiting, and its response is closed when
// it comes at last.
func TestDeafBase(t *testing.T) {
	errEnough := errors.New("enough")
	tests := []struct {
		name   string
		ctx    func(context.Context) context.Context
		after  time.Duration
		err    error
		status int
		base   func(asleep, read, closed func()) base
	}{
		{"in RoundTrip", nil, time.Second, context.DeadlineExceeded, 0, func(asleep, read, closed func()) base {
			return func(req *http.Request) (*http.Response, error) {
				asleep()
				return answer(200, closer{reader(func([]byte) (int, error) { read(); return 0, io.EOF }), closed})(req)
			}
		}},
		{"in RoundTrip, before a redirect", nil, time.Second, context.DeadlineExceeded, 0, func(asleep, read, closed func()) base {
			return func(req *http.Request) (*http.Response, error) {
				asleep()
				return answer(302, closer{reader(func([]byte) (int, error) { read(); return 0, io.EOF }), closed}, "Location", "/r.txt")(req)
			}
		}},
		{"in the body", nil, time.Second, context.DeadlineExceeded, 200, func(asleep, read, closed func()) base {
			return answer(200, closer{reader(func([]byte) (int, error) { asleep(); return 0, io.EOF }), closed})
		}},
		{"in the body of a 404", nil, time.Second, nil, 404, func(asleep, read, closed func()) base {
			return answer(404, closer{reader(func([]byte) (int, error) { asleep(); return 0, io.EOF }), closed})
		}},
		{"cancelled", func(ctx context.Context) context.Context {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(300*time.Millisecond, func() { cancel(errEnough) })
			return ctx
		}, 300 * time.Millisecond, errEnough, 0, func(asleep, read, closed func()) base {
			return func(req *http.Request) (*http.Response, error) {
				asleep()
				return answer(200, closer{reader(func([]byte) (int, error) { read(); return 0, io.EOF }), closed})(req)
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var read, closed atomic.Int32
				deaf := test.base(func() { time.Sleep(time.Hour) }, func() { read.Add(1) }, func() { closed.Add(1) })
				ctx, start := t.Context(), time.Now()
				if test.ctx != nil {
					ctx = test.ctx(ctx)
				}
				got, err := newClient(deaf).Fetch(ctx, example, fetch.Validators{}, fetch.Visit{})
				assert.Equal(t, test.after, time.Since(start))
				assert.Equal(t, test.status, got.Status)
				assert.ErrorIs(t, err, test.err)
				if test.err == errEnough {
					assert.Equal(t, errEnough, err, "the cause itself")
				}
				time.Sleep(time.Hour) // on the bubble's clock
				synctest.Wait()
				assert.EqualValues(t, 1, closed.Load(), "closed")
				assert.Zero(t, read.Load(), "read, although it was late")
			})
		})
	}
}

// A body that comes for ever, whatever the context says, is closed at the deadline.
func TestEndlessDrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shut := make(chan struct{})
		drip := reader(func(p []byte) (int, error) {
			select {
			case <-time.After(10 * time.Second):
				return copy(p, "a"), nil
			case <-shut:
				return 0, errors.New("closed")
			}
		})
		_, err := ask(t, answer(200, closer{drip, func() { close(shut) }}))
		require.ErrorContains(t, err, "no answer within 1s")
		synctest.Wait()
		<-shut
	})
}

// Nothing is asked when the context has ended, and CheckRedirect does not keep anyone
// waiting either.
func TestEnded(t *testing.T) {
	errEnough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errEnough)
	asked := 0
	_, err := newClient(base(func(*http.Request) (*http.Response, error) { asked++; return nil, io.EOF })).Fetch(ctx, example, fetch.Validators{}, fetch.Visit{})
	assert.Equal(t, errEnough, err)
	assert.Zero(t, asked)

	synctest.Test(t, func(t *testing.T) {
		o := options(answer(302, nil, "Location", "/r.txt"), time.Second)
		o.Redirects.Check = func(*url.URL, *url.URL) error { time.Sleep(time.Hour); return nil }
		start := time.Now()
		got, err := get(t, fetch.New(o), example)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(start))
		assert.Equal(t, 302, got.Status)
		time.Sleep(time.Hour) // on the bubble's clock, until it has returned
	})
}

// What is short is read, so that the page goes over the connection that robots.txt came
// over. What is long is left, and net/http decides whether it reads on.
func TestConnectionIsUsedAgain(t *testing.T) {
	short := strings.Repeat("a", 4000)
	status := func(code int, body string, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	tests := []struct {
		name    string
		answers []http.HandlerFunc
		reused  bool
	}{
		{"200", list(origintest.Text(body)), true},
		{"200 in gzip", list(origintest.Gzip(body)), true},
		{"204", list(origintest.Status(204)), true},
		{"206", list(origintest.Status(206)), true},
		{"401", list(status(401, short)), true},
		{"403", list(status(403, short)), true},
		{"404", list(status(404, short)), true},
		{"404 in gzip", list(func(w http.ResponseWriter, r *http.Request) {
			gz := &statusWriter{w, 404}
			origintest.Gzip(short)(gz, r)
		}), true},
		{"404 in chunks", list(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(404)
			for range 4 {
				io.WriteString(w, "not found")
				http.NewResponseController(w).Flush()
			}
		}), true},
		{"429", list(status(429, short)), true},
		{"500", list(status(500, short)), true},
		{"302", list(status(302, short, "Location", "/r.txt")), true},
		{"307", list(status(307, "", "Location", "/r.txt")), true},
		{"300 to nowhere", list(status(300, short)), true},
		{"412 for a condition", list(status(412, short), origintest.Text(body)), true},
		{"304", list(origintest.Status(304)), true},
		{"404 that closes", list(status(404, short, "Connection", "close")), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			web := origintest.New(t)
			web.Robots("example.com", test.answers...)
			web.Page("example.com", "/r.txt", origintest.Text(body))
			base := web.Transport(t)
			patient(base).Fetch(t.Context(), example, fetch.Validators{URL: "http://example.com/robots.txt", ETag: `"a"`}, fetch.Visit{})

			req, err := http.NewRequest("GET", "http://example.com/page", nil)
			require.NoError(t, err)
			resp, err := base.RoundTrip(req)
			require.NoError(t, err)
			resp.Body.Close()
			from := make(map[string]bool)
			for _, arrival := range web.Log() {
				from[arrival.From] = true
			}
			assert.Equal(t, test.reused, len(from) == 1, "%d connections", len(from))
		})
	}
}

// A statusWriter has one status for all that is written.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) Write(p []byte) (int, error) {
	w.ResponseWriter.WriteHeader(w.status)
	return w.ResponseWriter.Write(p)
}

// A body that nobody wants makes nobody wait, and its end is no part of the answer.
func TestUnwantedBody(t *testing.T) {
	tests := []struct {
		name    string
		answer  http.HandlerFunc
		status  int
		atLeast time.Duration
		atMost  time.Duration
	}{
		{"at once", origintest.Status(404), 404, 0, 0},
		{"late", origintest.Delay(950*time.Millisecond, hangAfter(404, "")), 404, 950 * time.Millisecond, time.Second},
		{"never", hangAfter(404, ""), 404, 0, 100 * time.Millisecond},
		{"never, of a 403", hangAfter(403, "half a"), 403, 0, 100 * time.Millisecond},
		{"never, of a redirect", hangAfter(302, "half a"), 200, 0, 100 * time.Millisecond},
		{"never, of a 500", hangAfter(500, "half a"), 500, 0, 100 * time.Millisecond},
		{"never, of a protocol", origintest.Raw("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"), 101, 0, 0},
		{"without end", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404); origintest.Endless("", "a\n")(w, r) }, 404, 0, 0},
		{"drips", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(404)
			http.NewResponseController(w).Flush()
			origintest.Drip("slowly, slowly", 30*time.Millisecond)(w, r)
		}, 404, 0, 100 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", test.answer)
				web.Page("example.com", "/r.txt", origintest.Text(body))
				start := time.Now()
				got, err := ask(t, web.Transport(t))
				require.NoError(t, err)
				assert.Equal(t, test.status, got.Status)
				assert.GreaterOrEqual(t, time.Since(start), test.atLeast)
				assert.LessOrEqual(t, time.Since(start), test.atMost)
				assert.Len(t, web.Log().Robots(), 1)
			})
		})
	}
}

func hangAfter(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/r.txt")
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(status)
		origintest.HangAfter(body)(w, r)
	}
}

// No more than a few KB are read of it.
func TestUnwantedBodyIsNotRead(t *testing.T) {
	var read atomic.Int64
	endless := reader(func(p []byte) (int, error) { read.Add(int64(len(p))); return len(p), nil })
	_, err := ask(t, answer(404, endless))
	require.NoError(t, err)
	assert.Less(t, read.Load(), int64(8<<10))

	read.Store(0)
	long := func(req *http.Request) (*http.Response, error) {
		resp, err := answer(404, endless)(req)
		resp.ContentLength = 1 << 20
		return resp, err
	}
	_, err = ask(t, base(long))
	require.NoError(t, err)
	assert.Zero(t, read.Load())
}

// A visit is announced to every other origin, and is left once, with what came.
func TestVisit(t *testing.T) {
	tests := []struct {
		location string
		events   string
		err      string // part of it
		status   int
		hops     int
	}{
		{"/r.txt", "", "", 200, 1},
		{"http://EXAMPLE.com:80/r.txt", "", "", 200, 1},
		{"https://example.com/r.txt", "at https://example.com, left with 200 0s", "", 200, 1},
		{"http://example.com:8080/r.txt", "at http://example.com:8080, left with 404 0s", "", 404, 1},
		{"http://other.example/r.txt", "at http://other.example, left with 200 0s", "", 200, 1},
		{"http://busy.example/", "at http://busy.example, left with 429 2m0s", "", 429, 1},
		{"http://chain.example/", "at http://chain.example, left with 302 0s, at http://other.example, left with 200 0s", "", 200, 2},
		{"http://back.example/", "at http://back.example, left with 302 0s", "", 200, 2},
		{"http://conditions.example/", "at http://conditions.example, left with 200 0s", "", 200, 1},
		{"http://reset.example/", "at http://reset.example, left with 0 0s", "EOF", 302, 1},
		{"http://lost.example/", "at http://lost.example, left with 0 0s", "no such host", 302, 1},
		{"http://hang.example/", "at http://hang.example, left with 0 0s", "no answer within 1s", 302, 1},
		{"http://half.example/", "at http://half.example, left with 200 0s", "no answer within 1s", 200, 1},
		{"http://deaf.example/", "at http://deaf.example, left with 0 0s", "no answer within 1s", 302, 1},
		{"http://panic.example/", "at http://panic.example, left with 0 0s", "panic in the transport", 302, 1},
		{"http://goexit.example/", "at http://goexit.example, left with 0 0s", "ended by the transport", 302, 1},
		{"http://full.example/", "at http://full.example", "full", 302, 1},
		{"http://queue.example/", "at http://queue.example", "no answer within 1s", 302, 1},
		{"http://forbidden.example/", "", "not there", 302, 0},
	}
	for _, test := range tests {
		t.Run(test.location, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := newCrossroads(t, test.location)
				visits := &visits{}
				o := options(crossroads{web.Transport(t)}, time.Second)
				o.Visit = visits.visit
				known := fetch.Validators{URL: "http://conditions.example/", ETag: `"a"`}
				got, err := fetch.New(o).Fetch(t.Context(), example, known, fetch.Visit{})
				if test.err == "" {
					assert.NoError(t, err)
				} else {
					assert.ErrorContains(t, err, test.err)
				}
				assert.Equal(t, test.events, strings.Join(visits.events, ", "))
				assert.Equal(t, test.status, got.Status)
				assert.Len(t, got.Hops, test.hops)
				assert.Empty(t, web.Log().At("full.example"))
				assert.Empty(t, web.Log().At("queue.example"))
				time.Sleep(time.Hour) // on the bubble's clock, for who has not heard
				assert.Equal(t, test.events, strings.Join(visits.events, ", "), "once")
			})
		})
	}
}

// newCrossroads returns a web where example.com redirects to location.
func newCrossroads(t *testing.T, location string) *origintest.Server {
	web := origintest.NewInMemory(t)
	web.Robots("example.com", origintest.Redirect(location))
	web.Page("example.com", "/r.txt", origintest.Text(body))
	web.Page("example.com:8080", "/r.txt", origintest.Status(404))
	web.Page("other.example", "/r.txt", origintest.Text(body))
	web.Page("busy.example", "/", origintest.Status(429, "Retry-After", "120"))
	web.Page("chain.example", "/", origintest.Redirect("http://other.example/r.txt"))
	web.Page("back.example", "/", origintest.Redirect("http://example.com/r.txt"))
	web.Page("conditions.example", "/", origintest.Status(412), origintest.Text(body))
	web.Page("reset.example", "/", origintest.Reset)
	web.Page("hang.example", "/", origintest.Hang)
	web.Page("half.example", "/", origintest.HangAfter(body))
	web.Lose("lost.example")
	return web
}

// crossroads is a base with a few hosts where it does not behave.
type crossroads struct{ http.RoundTripper }

func (c crossroads) RoundTrip(req *http.Request) (*http.Response, error) {
	switch req.URL.Host {
	case "deaf.example":
		time.Sleep(time.Minute)
	case "panic.example":
		panic("boom")
	case "goexit.example":
		runtime.Goexit()
	}
	return c.RoundTripper.RoundTrip(req)
}

// visits are told of by the client.
type visits struct{ events []string }

var errFull = errors.New("full")

func (v *visits) visit(ctx context.Context, at origin.Origin) (fetch.Visit, error) {
	v.events = append(v.events, "at "+at.String())
	switch at.Host {
	case "full.example":
		return fetch.Visit{}, errFull
	case "queue.example":
		<-ctx.Done()
		return fetch.Visit{}, ctx.Err()
	}
	return fetch.Visit{Leave: func(status int, retryAfter time.Duration) {
		v.events = append(v.events, fmt.Sprintf("left with %d %v", status, retryAfter))
	}}, nil
}

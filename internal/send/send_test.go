package send

import (
	"context"
	"errors"
	"hash/maphash"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slowToClose is a connection that is written to meanwhile.
type slowToClose struct{ net.Conn }

func (c slowToClose) Close() error {
	for range 1000 { // who closes it holds a lock: no time passes in the bubble
		runtime.Gosched()
	}
	return c.Conn.Close()
}

func newPacer() *lane.Lanes[string] {
	return lane.New(1, lane.Keys[string]{
		Own: strings.Clone, Size: func(key string) int { return len(key) }, Name: strings.Clone,
		Hash: func(key string, seed maphash.Seed) uint64 { return maphash.String(seed, key) },
	})
}

// What must not be written when its connection is ready is not written: net/http begins to write
// whatever has become of the request's context.
func TestRefusedAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		pacer := newPacer()
		base := web.Transport(t)
		dial := base.DialContext
		base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			return slowToClose{conn}, err
		}
		sender := new(Sender)
		require.NoError(t, sender.Use(base, nil, func() {}))
		turn, err := pacer.Take(t.Context(), "example.com", lane.Terms{Gap: time.Nanosecond})
		require.NoError(t, err)
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://example.com/", struct{ *strings.Reader }{strings.NewReader("once")})
		require.NoError(t, err)
		_, err = sender.Send(req, turn, func() (bool, time.Duration) { return true, 0 }, nil)
		require.ErrorIs(t, err, lane.ErrRules)
		turn.Done()
		time.Sleep(time.Minute)
		assert.Empty(t, web.Log())
	})
}

// Without a Base, requests go by what http.DefaultTransport is at each of them.
func TestDefaultTransportOfTheMoment(t *testing.T) {
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	var s Sender
	require.NoError(t, s.Use(nil, new(http.Transport), func() {}))
	by := func(name string) http.RoundTripper {
		return origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			return origintest.Response(req, 200, name), nil
		})
	}
	for _, name := range []string{"one", "another"} {
		http.DefaultTransport = by(name)
		req := httptest.NewRequest("GET", "http://example.com/", nil)
		resp, err := s.Send(req, nil, nil, nil)
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, name, string(text))
	}
	for _, name := range []string{"one", "one", "another"} { // which are copied, as their headers get a bound
		http.DefaultTransport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New(name) }}
		_, err := s.Send(httptest.NewRequest("GET", "http://example.com/", nil), nil, nil, nil)
		assert.ErrorContains(t, err, name)
	}
	for own, want := range map[int64]int64{0: maxHeader, -1: maxHeader, 1: 1} {
		http.DefaultTransport = &http.Transport{MaxResponseHeaderBytes: own}
		assert.Equal(t, want, new(defaultBase).now().(*http.Transport).MaxResponseHeaderBytes)
	}
}

// The turn above of a request ends when its body is closed or read, or at once if there is none.
func TestTurnAboveEnds(t *testing.T) {
	for name, answer := range map[string]func(req *http.Request) (*http.Response, error){
		"a body":      func(req *http.Request) (*http.Response, error) { return origintest.Response(req, 200, "a page"), nil },
		"no body":     func(*http.Request) (*http.Response, error) { return new(http.Response), nil },
		"no response": func(*http.Request) (*http.Response, error) { return nil, nil },
		"an error":    func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF },
	} {
		synctest.Test(t, func(t *testing.T) {
			pacer := newPacer()
			take := func(ctx context.Context) (*lane.Ticket, error) {
				return pacer.Take(ctx, "example.com", lane.Terms{Slots: 1, MaxQueue: 9, MaxWait: time.Second})
			}
			g := Guard{Stopped: func() error { return nil }, Take: take}
			resp, err := g.Send(origintest.RoundTripper(answer), httptest.NewRequest("GET", "http://example.com/", nil))
			assert.Equal(t, name == "an error", err != nil, name)
			if name == "a body" {
				_, err := take(t.Context())
				assert.Error(t, err)
				require.NoError(t, resp.Body.Close())
			}
			ticket, err := take(t.Context())
			require.NoError(t, err, name)
			_, err = g.Send(origintest.RoundTripper(answer), httptest.NewRequest("GET", "http://example.com/", nil))
			assert.ErrorContains(t, err, "the turn would come at", "there is no turn above")
			ticket.Done()
		})
	}
}

package polite_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// However many come to an origin at once, it is asked once.
func TestOneFlight(t *testing.T) {
	onBothNets(t, func(t *testing.T, web *origintest.Server) {
		web.Robots("example.com", origintest.Delay(100*time.Millisecond, origintest.Text(rules)))
		transport := newTransport(t, web)
		transport.Base.(*http.Transport).MaxConnsPerHost = 50
		client := &http.Client{Transport: transport}
		var refused atomic.Int32
		var crowd sync.WaitGroup
		for i := range 1000 {
			crowd.Go(func() {
				path := []string{"/private", "/public"}[i%2]
				if _, err := get(client, "http://example.com"+path); err != nil {
					assert.ErrorIs(t, err, polite.ErrDisallowed)
					refused.Add(1)
				}
			})
		}
		crowd.Wait()
		assert.EqualValues(t, 500, refused.Load())
		assert.Len(t, web.Log().Robots(), 1)
		assert.Len(t, web.Log().Pages(), 500)
	})
}

// Who leaves while robots.txt is on its way, the first included, harms no other.
func TestCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Delay(500*time.Millisecond, origintest.Text(rules)))
		client := &http.Client{Transport: newTransport(t, web)}

		first, cancel := context.WithCancel(t.Context())
		var crowd sync.WaitGroup
		crowd.Go(func() {
			sent := newBody()
			req, err := http.NewRequestWithContext(first, "POST", "http://example.com/public", sent)
			assert.NoError(t, err)
			_, err = client.Do(req)
			assert.ErrorIs(t, err, context.Canceled)
			assert.EqualValues(t, 1, sent.closed.Load(), "body closed")
		})
		synctest.Wait() // the first one's flight has begun
		for range 10 {
			crowd.Go(func() {
				_, err := get(client, "http://example.com/public")
				assert.NoError(t, err)
			})
		}
		crowd.Go(func() {
			start := time.Now()
			client := *client
			client.Timeout = 100 * time.Millisecond
			_, err := get(&client, "http://example.com/public")
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, client.Timeout, time.Since(start))
		})
		synctest.Wait()
		cancel()
		crowd.Wait()
		assert.Len(t, web.Log().Robots(), 1)
		assert.Len(t, web.Log().Pages(), 10)
	})
}

// When everyone has left, the answer is kept all the same.
func TestAbandonedFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Delay(500*time.Millisecond, origintest.Text(rules)))
		client := &http.Client{Transport: newTransport(t, web)}
		hasty := *client
		hasty.Timeout = time.Millisecond
		_, err := get(&hasty, "http://example.com/public")
		require.Error(t, err)
		time.Sleep(time.Second) // on the bubble's clock
		_, err = get(client, "http://example.com/private")
		assert.ErrorIs(t, err, polite.ErrDisallowed)
		assert.Len(t, web.Log().Robots(), 1)
	})
}

func TestPanic(t *testing.T) {
	panics := roundTripper(func(*http.Request) (*http.Response, error) { panic("boom") })
	_, err := get(&http.Client{Transport: &polite.Transport{UserAgent: userAgent, Base: panics}}, "http://example.com/")
	assert.ErrorIs(t, err, polite.ErrDisallowed)
	assert.ErrorContains(t, err, "panic in the transport: boom")
}

func TestSharedCache(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: one\ndisallow: /1\nuser-agent: two\ndisallow: /2\n"))
	cache := new(polite.Cache)
	for _, name := range []string{"One", "Two"} {
		transport := newTransport(t, web)
		transport.UserAgent, transport.Cache = name, cache
		for i, path := range []string{"/1", "/2"} {
			_, err := get(&http.Client{Transport: transport}, "http://example.com"+path)
			if name == []string{"One", "Two"}[i] {
				assert.ErrorIs(t, err, polite.ErrDisallowed)
			} else {
				assert.NoError(t, err)
			}
		}
	}
	assert.Len(t, web.Log().Robots(), 1)
}

func TestFreshness(t *testing.T) {
	tests := []struct {
		name     string
		answer   http.HandlerFunc
		lifetime time.Duration
	}{
		{"rules", origintest.Text(rules), 24 * time.Hour},
		{"no rules", origintest.Text(""), 24 * time.Hour},
		{"unavailable", origintest.Status(404), 24 * time.Hour},
		{"forbidden", origintest.Status(403), 24 * time.Hour},
		{"too many redirects", origintest.Redirect("/robots.txt"), 24 * time.Hour},
		{"unreachable", origintest.Status(500), time.Minute},
		{"too many requests", origintest.Status(429), time.Minute},
		{"undefined", origintest.Status(302), time.Minute},
		{"badly framed", origintest.Raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", test.answer)
				client := &http.Client{Transport: newTransport(t, web)}
				get(client, "http://example.com/")
				time.Sleep(test.lifetime - time.Nanosecond)
				get(client, "http://example.com/")
				assert.Len(t, web.Log().Robots(), 1, "while it is fresh")
				time.Sleep(time.Nanosecond)
				get(client, "http://example.com/")
				assert.Len(t, web.Log().Robots(), 2, "when it is no longer")
			})
		})
	}
}

// A cache stays within its bound, and what is asked for often stays in it.
func TestBound(t *testing.T) {
	const origins = 20_000
	var asked atomic.Int32
	body := rules + strings.Repeat("disallow: /a\n", 20)
	transport := &polite.Transport{
		UserAgent: userAgent,
		Cache:     &polite.Cache{MaxBytes: 1 << 20},
		Base: roundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/robots.txt" {
				asked.Add(1)
			}
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body))}, nil
		}),
	}
	client := &http.Client{Transport: transport}
	visit := func(i int) (again bool) {
		before := asked.Load()
		_, err := get(client, fmt.Sprintf("http://%d.example/", i))
		require.NoError(t, err)
		return asked.Load() > before
	}
	random := rand.New(rand.NewPCG(1, 2))
	favourites := 0
	for i := range origins {
		visit(i)
		if favourite := random.IntN(100); visit(favourite) && i > origins/2 {
			favourites++
		}
	}
	assert.Less(t, favourites, origins/2/10, "favourites that were asked again")

	again := 0
	for i := range origins {
		if visit(i) {
			again++
		}
	}
	assert.Greater(t, again, origins*8/10, "others that were asked again")
}

package request

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ready is what docs/clients.md shows for a Base that makes its connections itself.
func ready(req *http.Request) error {
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	return context.Cause(req.Context())
}

// connecting returns a Base that makes its connections itself. The first takes a while. ready
// is called when a connection is there.
func connecting(web http.RoundTripper, ready func(*http.Request) error) http.RoundTripper {
	return origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		if req.URL.Path == "/0" {
			time.Sleep(2500 * time.Millisecond)
		}
		if err := ready(req); err != nil {
			return nil, err
		}
		return web.RoundTrip(req.WithContext(context.Background())) // which has no trace
	})
}

// A Base of one's own that calls GotConn keeps the gap between what it writes, and what a
// break stops goes on after the break.
func TestBaseOfOnesOwn(t *testing.T) {
	arrives := func(ready func(*http.Request) error, answer http.HandlerFunc) (log origintest.Log) {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", conduct.Delayed(1))
			web.Page("example.com", "/1", answer)
			transport := &polite.Transport{UserAgent: conduct.UserAgent, Base: connecting(web.Transport(t), ready)}
			conduct.Know(t, transport, "example.com")
			var crowd sync.WaitGroup
			for i := range 4 {
				crowd.Go(func() {
					_, err := conduct.Get(conduct.Client(transport), fmt.Sprint("http://example.com/", i))
					assert.NoError(t, err)
				})
				synctest.Wait()
			}
			crowd.Wait()
			log = web.Log().Pages()
			require.Len(t, log, 4)
		})
		return log
	}
	page := origintest.Text("a page\n")
	for _, gap := range conduct.Gaps(arrives(ready, page)) {
		assert.GreaterOrEqual(t, gap, time.Second)
	}
	without := func(*http.Request) error { return nil }
	assert.Less(t, shortest(arrives(without, page)), time.Second, "or nobody needs to call GotConn")

	log := arrives(ready, origintest.Status(http.StatusTooManyRequests, "Retry-After", "60"))
	assert.Equal(t, "/1", log[0].URI)
	assert.GreaterOrEqual(t, log[1].Time.Sub(log[0].Time), time.Minute)
}

func shortest(log origintest.Log) time.Duration {
	least := time.Hour
	for _, gap := range conduct.Gaps(log) {
		least = min(least, gap)
	}
	return least
}

// A start is used up if Base has written the request, also if Base does not call GotConn: no
// other process gets it.
func TestSharedGapOfASilentBase(t *testing.T) {
	fails := errors.New("no answer")
	for name, answer := range map[string]error{"answers": nil, "fails": fails} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web, turns := origintest.NewInMemory(t), new(memstore.Turns)
				web.Robots("example.com", conduct.Delayed(10))
				for range 3 {
					transport := conduct.Sharing(t, web, turns)
					base := transport.Base
					transport.Base = origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
						resp, err := base.RoundTrip(req.WithContext(context.Background()))
						if err == nil && answer != nil && req.URL.Path != "/robots.txt" {
							resp.Body.Close()
							return nil, answer
						}
						return resp, err
					})
					_, err := conduct.Get(conduct.Client(transport), "http://example.com/")
					assert.ErrorIs(t, err, answer)
					synctest.Wait()
				}
				log := web.Log().Pages()
				require.Len(t, log, 3)
				assert.GreaterOrEqual(t, shortest(log), 10*time.Second)
			})
		})
	}
}

// A site sees one gap, and one request for robots.txt, through whichever proxy of a pool the
// requests come.
func TestPoolOfProxies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Delayed(10))
		transport, proxies := conduct.NewTransport(t, web), make(map[string]int)
		base, next := transport.Base.(*http.Transport), 0
		base.Proxy = func(*http.Request) (*url.URL, error) {
			next++
			proxy := fmt.Sprintf("proxy%d.example", next%3)
			proxies[proxy]++
			return &url.URL{Scheme: "http", Host: proxy}, nil
		}
		for i := range 6 {
			_, err := conduct.Get(conduct.Client(transport), fmt.Sprint("http://example.com/", i))
			require.NoError(t, err)
		}
		assert.Len(t, proxies, 3)
		log := web.Log()
		require.Len(t, log, 7)
		assert.Equal(t, "http://example.com/robots.txt", log[0].URI, "as a proxy sees it")
		assert.Equal(t, 10*time.Second, shortest(log[1:]))
	})
}

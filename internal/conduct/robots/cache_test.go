package robots

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// However many come to an origin at once, it is asked once.
func TestOneFlight(t *testing.T) {
	conduct.OnBothNets(t, func(t *testing.T, web *origintest.Server) {
		web.Robots("example.com", origintest.Delay(100*time.Millisecond, origintest.Text(conduct.Rules)))
		transport := conduct.NewTransport(t, web)
		transport.Base.(*http.Transport).MaxConnsPerHost = 50
		client := &http.Client{Transport: transport}
		var refused atomic.Int32
		var crowd sync.WaitGroup
		for i := range 1000 {
			crowd.Go(func() {
				path := []string{"/private", "/public"}[i%2]
				if _, err := conduct.Get(client, "http://example.com"+path); err != nil {
					assert.ErrorIs(t, err, polite.ErrRefused)
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
		web.Robots("example.com", origintest.Delay(500*time.Millisecond, origintest.Text(conduct.Rules)))
		client := &http.Client{Transport: conduct.NewTransport(t, web)}

		first, cancel := context.WithCancel(t.Context())
		var crowd sync.WaitGroup
		crowd.Go(func() {
			sent := conduct.NewBody()
			req, err := http.NewRequestWithContext(first, "POST", "http://example.com/public", sent)
			assert.NoError(t, err)
			_, err = client.Do(req)
			assert.ErrorIs(t, err, context.Canceled)
			assert.EqualValues(t, 1, sent.Closed.Load(), "body closed")
		})
		synctest.Wait() // the first one's flight has begun
		for range 10 {
			crowd.Go(func() {
				_, err := conduct.Get(client, "http://example.com/public")
				assert.NoError(t, err)
			})
		}
		crowd.Go(func() {
			start := time.Now()
			client := *client
			client.Timeout = 100 * time.Millisecond
			_, err := conduct.Get(&client, "http://example.com/public")
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorIs(t, err, polite.ErrDelayed)
			assert.LessOrEqual(t, time.Since(start), client.Timeout)
			assert.Greater(t, time.Since(start), client.Timeout*9/10)
		})
		synctest.Wait()
		cancel()
		crowd.Wait()
		assert.Len(t, web.Log().Robots(), 1)
		assert.Len(t, web.Log().Pages(), 10)
	})
}

// A Logger that panics harms the request that asks for robots.txt, and no other.
func TestLoggerThatPanics(t *testing.T) {
	web := origintest.New(t)
	transport := conduct.NewTransport(t, web)
	transport.Logger = slog.New(panicking{slog.DiscardHandler})
	client := &http.Client{Transport: transport}
	_, err := conduct.Get(client, "http://example.com/")
	assert.ErrorContains(t, err, "panic while asking for robots.txt")
	_, err = conduct.Get(client, "http://example.com/")
	assert.NoError(t, err, "what was fetched is kept")
	assert.Len(t, web.Log().Robots(), 1)
}

type panicking struct{ slog.Handler }

func (panicking) Enabled(context.Context, slog.Level) bool { panic("boom") }

func TestSharedCache(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: one\ndisallow: /1\nuser-agent: two\ndisallow: /2\n"))
	cache := new(polite.Cache)
	for _, name := range []string{"One", "Two"} {
		transport := conduct.NewTransport(t, web)
		transport.UserAgent, transport.Cache = name, cache
		for i, path := range []string{"/1", "/2"} {
			_, err := conduct.Get(&http.Client{Transport: transport}, "http://example.com"+path)
			if name == []string{"One", "Two"}[i] {
				assert.ErrorIs(t, err, polite.ErrRefused)
			} else {
				assert.NoError(t, err)
			}
		}
	}
	assert.Len(t, web.Log().Robots(), 1)
}

// The next request for robots.txt comes ahead of its time, or when a failure has been remembered for long enough. Until
// then there is none. How long other answers hold is a matter of docs/behaviour.md.
func TestFreshness(t *testing.T) {
	status := func(code int, header ...string) http.HandlerFunc { return origintest.Status(code, header...) }
	tests := []struct {
		name           string
		answer         http.HandlerFunc
		policy         polite.Policy
		earliest, last time.Duration
	}{
		{"rules", origintest.Text(conduct.Rules), polite.Policy{}, 23*time.Hour + 6*time.Minute, 24 * time.Hour},
		{"unavailable", status(404), polite.Policy{}, 22*time.Hour + 12*time.Minute, 22*time.Hour + 50*time.Minute},

		{"max-age", status(200, "Cache-Control", "max-age=3600"), polite.Policy{}, 57 * time.Minute, time.Hour},
		{"short max-age", status(200, "Cache-Control", "max-age=0"), polite.Policy{}, 4*time.Minute + 48*time.Second, 5 * time.Minute},
		{"long max-age", status(200, "Cache-Control", "max-age=864000"), polite.Policy{}, 23*time.Hour + 6*time.Minute, 24 * time.Hour},
		{"long max-age, as Google", status(200, "Cache-Control", "max-age=864000"), polite.Google(), 9*24*time.Hour + 15*time.Hour, 10 * 24 * time.Hour},
		{"longest max-age, as Google", status(200, "Cache-Control", "max-age=99999999999"), polite.Google(), 28*24*time.Hour + 20*time.Hour, 30 * 24 * time.Hour},

		{"unreachable", status(500), polite.Policy{}, 45 * time.Second, time.Minute},
		{"Retry-After", status(503, "Retry-After", "7200"), polite.Policy{}, 2 * time.Hour, 2 * time.Hour},
		{"Retry-After sooner", status(503, "Retry-After", "5"), polite.Policy{}, 45 * time.Second, time.Minute},
		{"Retry-After too late", status(429, "Retry-After", "9999999999999999999"), polite.Policy{}, 24 * time.Hour, 24 * time.Hour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", test.answer)
				transport := conduct.NewTransport(t, web)
				transport.Policy = test.policy
				u := &url.URL{Scheme: "http", Host: "example.com", Path: "/"}
				first, err := transport.Check(t.Context(), u)
				require.NoError(t, err)
				begin := time.Now()
				asked := len(web.Log().Robots())
				for len(web.Log().Robots()) == asked && time.Since(begin) < test.last+time.Second {
					time.Sleep(max(test.last/1000, time.Second)) // on the bubble's clock
					decision, err := transport.Check(t.Context(), u)
					require.NoError(t, err)
					assert.Equal(t, first.Allowed, decision.Allowed)
					synctest.Wait()
				}
				step := max(test.last/1000, time.Second)
				assert.WithinRange(t, begin.Add(time.Since(begin)), begin.Add(test.earliest), begin.Add(test.last+step))
				assert.Greater(t, len(web.Log().Robots()), asked, "asked again")
				assert.WithinRange(t, first.Next, begin.Add(min(test.earliest, test.last*17/20)), begin.Add(test.last))
			})
		})
	}
}

// However often requests come, there is hardly more than one request for
// robots.txt in a day, and only the first of the others waits for it.
func TestOncePerDay(t *testing.T) {
	long.NotShort(t)
	for every, perDay := range map[time.Duration]float64{
		10 * time.Second: 1.04, time.Minute: 1.04, 10 * time.Minute: 1.05, time.Hour: 1.1, 100 * time.Minute: 1.15, 2 * time.Hour: 1.15,
	} {
		t.Run(every.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const days = 20
				web := origintest.NewInMemory(t)
				web.Robots("example.com", origintest.Delay(500*time.Millisecond, origintest.Text(conduct.Rules)))
				transport := conduct.NewTransport(t, web)
				begin, waited := time.Now(), 0
				for time.Since(begin) < days*24*time.Hour {
					start := time.Now()
					_, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "example.com", Path: "/"})
					require.NoError(t, err)
					if time.Since(start) > 0 {
						waited++
					}
					time.Sleep(every) // on the bubble's clock
				}
				assert.Equal(t, 1, waited)
				assert.LessOrEqual(t, float64(len(web.Log())-1)/days, perDay)
				assert.GreaterOrEqual(t, len(web.Log()), days)
			})
		})
	}
}

// Origins that were asked at the same time are not again.
func TestSpread(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		transport := conduct.NewTransport(t, web)
		transport.Cache = &polite.Cache{MaxFetches: 300}
		begin := time.Now()
		for time.Since(begin) < 24*time.Hour {
			for i := range 300 {
				_, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: fmt.Sprintf("%d.example", i), Path: "/"})
				require.NoError(t, err)
			}
			time.Sleep(long.Or(5*time.Minute, time.Minute)) // on the bubble's clock
		}
		again := web.Log().Robots()[300:]
		require.Len(t, again, 300)
		assert.Greater(t, again[299].Time.Sub(again[0].Time), 15*time.Minute)
	})
}

// A thousand requests for an origin whose copy is about to expire, or just has:
// none of them waits, and one conditional request arrives.
func TestRefresh(t *testing.T) {
	for name, wait := range map[string]time.Duration{"ahead": 24*time.Hour - time.Second, "after max-age": 3 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				header := []string{"ETag", `"a"`}
				if name == "after max-age" {
					header = append(header, "Cache-Control", "max-age=3600")
				}
				web.Robots("example.com", origintest.Status(200, header...), origintest.Delay(500*time.Millisecond, origintest.Status(304)))
				transport := conduct.NewTransport(t, web)
				transport.Cache = new(polite.Cache)
				u := &url.URL{Scheme: "http", Host: "example.com", Path: "/"}
				before, err := transport.Check(t.Context(), u)
				require.NoError(t, err)
				time.Sleep(wait) // on the bubble's clock
				start := time.Now()
				var crowd sync.WaitGroup
				for range 1000 {
					crowd.Go(func() {
						decision, err := transport.Check(t.Context(), u)
						assert.NoError(t, err)
						assert.False(t, decision.Allowed)
					})
				}
				crowd.Wait()
				assert.Zero(t, time.Since(start), "nobody waits")
				time.Sleep(time.Second)
				require.Len(t, web.Log(), 2)
				assert.Equal(t, `"a"`, web.Log()[1].Header.Get("If-None-Match"))
				after, err := transport.Check(t.Context(), u)
				require.NoError(t, err)
				assert.WithinDuration(t, before.Fetched.Add(wait+500*time.Millisecond), after.Fetched, time.Millisecond, "a 304 renews")
				assert.False(t, after.Stale)
				assert.Len(t, web.Log(), 2)
				assert.EqualValues(t, 1, transport.Cache.Stats().Unchanged)
			})
		})
	}
}

// However many origins are new, no more than some are asked at a time.
func TestStorm(t *testing.T) {
	origins := long.Last(10_000, 1_000)[0]
	synctest.Test(t, func(t *testing.T) {
		var now, most, asked atomic.Int64
		transport := &polite.Transport{
			UserAgent: conduct.UserAgent,
			Cache:     &polite.Cache{MaxFetches: 70},
			Base: origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
				conduct.Raise(&most, now.Add(1))
				time.Sleep(100 * time.Millisecond) // on the bubble's clock
				now.Add(-1)
				asked.Add(1)
				return &http.Response{StatusCode: 404, Body: http.NoBody}, nil
			}),
		}
		var crowd sync.WaitGroup
		for i := range origins {
			crowd.Go(func() {
				decision, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: fmt.Sprint(i, ".example"), Path: "/"})
				assert.NoError(t, err)
				assert.True(t, decision.Allowed)
			})
		}
		crowd.Wait()
		assert.EqualValues(t, 70, most.Load())
		assert.EqualValues(t, origins, asked.Load())
	})
}

// What is known and allowed costs nothing to allocate.
func TestRoundTripDoesNotAllocate(t *testing.T) {
	response := &http.Response{StatusCode: 200, Body: http.NoBody}
	transport := &polite.Transport{UserAgent: conduct.UserAgent, Base: origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		if req.URL.Path == "/robots.txt" {
			return origintest.Response(req, 200, conduct.Rules), nil
		}
		return response, nil
	})}
	req, err := http.NewRequest("GET", "https://www.example.com/a/b", nil)
	require.NoError(t, err)
	req.Header.Set("User-Agent", conduct.UserAgent)
	allocations := func() float64 {
		return testing.AllocsPerRun(100, func() {
			if _, err := transport.RoundTrip(req); err != nil {
				t.Error(err)
			}
		})
	}
	assert.Zero(t, allocations())
	body := io.NopCloser(strings.NewReader(""))
	for contentType, want := range map[string]float64{"text/plain": 0, "text/html": 1} {
		response.Header = http.Header{"Content-Type": {contentType}}
		assert.Equal(t, want, testing.AllocsPerRun(100, func() {
			response.Body = body
			transport.RoundTrip(req)
		}), "a web page is looked at")
	}
	response.Body = http.NoBody
	req.Header.Del("User-Agent")
	assert.Equal(t, 3.0, allocations(), "the copy, and its header of two parts")
}

func TestStats(t *testing.T) {
	web := origintest.New(t)
	cache := new(polite.Cache)
	transport := conduct.NewTransport(t, web)
	transport.Cache = cache
	client := &http.Client{Transport: transport}
	for _, host := range []string{"a.example", "b.example", "c.example"} {
		web.Robots(host, origintest.Text(conduct.Rules))
	}
	web.Robots("down.example", origintest.Status(500))
	for _, host := range []string{"a.example", "b.example", "c.example", "none.example", "down.example", "a.example", "down.example"} {
		conduct.Get(client, "http://"+host+"/")
	}
	stats := cache.Stats()
	assert.Greater(t, stats.Bytes, int64(1000))
	assert.Less(t, stats.Bytes, int64(5000))
	stats.Bytes = 0
	assert.Equal(t, polite.Stats{Origins: 5, Files: 1, Hits: 2, Misses: 5, Found: 3, Unavailable: 1, Unreachable: 1}, stats)
}

// fill asks n origins for robots.txt, each of which answers by body.
func fill(t *testing.T, cache *polite.Cache, n int, body func(i int) string) {
	transport := &polite.Transport{UserAgent: conduct.UserAgent, Cache: cache, Base: origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		var i int
		fmt.Sscanf(req.URL.Host, "www.%d.example", &i)
		return origintest.Response(req, 200, body(i)), nil
	})}
	for i := range n {
		_, err := transport.Check(t.Context(), &url.URL{Scheme: "https", Host: fmt.Sprintf("www.%06d.example", i), Path: "/"})
		require.NoError(t, err)
	}
}

// The heap grows by what a cache is allowed, and not by more.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures the heap of many origins")
	}
	bound := long.Or(1<<20, 4<<20)
	bodies := map[string]func(int) string{
		"all different": func(i int) string {
			return fmt.Sprintf("user-agent: *\ndisallow: /%d\n", i) + strings.Repeat("disallow: /some/folder/\n", i%30)
		},
		"mostly the same": func(i int) string {
			if i%10 == 0 {
				return fmt.Sprintf("user-agent: *\ndisallow: /%d\n", i)
			}
			return fmt.Sprintf("user-agent: *\ndisallow: /%d\n", i%100/10)
		},
		"none": func(int) string { return "" },
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			before := conduct.Heap()
			cache := &polite.Cache{MaxBytes: int64(bound)}
			fill(t, cache, bound/(4<<20/25_000), body)
			grown := conduct.Heap() - before
			stats := cache.Stats()
			t.Logf("%.1f MiB on the heap, %.1f MiB counted, %d origins, %d files", float64(grown)/(1<<20), float64(stats.Bytes)/(1<<20), stats.Origins, stats.Files)
			assert.LessOrEqual(t, stats.Bytes, int64(bound))
			assert.LessOrEqual(t, grown, int64(bound)*5/4)
			assert.GreaterOrEqual(t, grown, int64(bound)*3/4, "the bound is made use of")
			assert.Positive(t, stats.Evictions)
		})
	}
}

// What is the same is kept once: an origin then takes no more than 200 bytes.
func TestBytesPerOrigin(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures the heap of many origins")
	}
	origins := long.Or(10_000, 100_000)
	before := conduct.Heap()
	cache := new(polite.Cache)
	fill(t, cache, origins, func(i int) string {
		if i%10 == 0 {
			return fmt.Sprintf("user-agent: *\ndisallow: /%d\n", i)
		}
		return fmt.Sprintf("user-agent: *\ndisallow: /%d\n", i%100/10)
	})
	grown := conduct.Heap() - before
	files := conduct.Heap()
	alone := new(polite.Cache)
	fill(t, alone, origins/10, func(i int) string { return fmt.Sprintf("user-agent: *\ndisallow: /%d\n", 10*i) })
	files = (conduct.Heap() - files) - int64(200*origins/10) // what the files take beside their origins
	each := float64(grown-files) / float64(origins)
	t.Logf("%.0f bytes for an origin", each)
	assert.LessOrEqual(t, each, 200.0)
	runtime.KeepAlive(cache)
	runtime.KeepAlive(alone)
}

// An origin that is asked for stays in memory, however many others come and go.
func TestWhatIsAskedForStays(t *testing.T) {
	asked := make(map[string]int)
	transport := &polite.Transport{
		UserAgent: conduct.UserAgent,
		Cache:     &polite.Cache{MaxBytes: 1 << 17},
		Base: origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/robots.txt" {
				asked[req.URL.Host]++
			}
			return origintest.Response(req, 200, conduct.Rules), nil
		}),
	}
	client := &http.Client{Transport: transport}
	for i := range 3000 {
		for _, host := range []string{"favourite.example", fmt.Sprint(i%1500, ".example")} {
			_, err := conduct.Get(client, "http://"+host+"/")
			require.NoError(t, err)
		}
	}
	assert.Equal(t, 1, asked["favourite.example"])
	assert.Equal(t, 2, asked["0.example"])
}

// What a query adds to a long file counts for the bound.
func TestIndexIsCounted(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: *\n"+strings.Repeat("disallow: /private/*.html\n", 1000)))
	transport := conduct.NewTransport(t, web)
	transport.Cache = new(polite.Cache)
	u := &url.URL{Scheme: "http", Host: "example.com", Path: "/private/1.html"}
	file, err := transport.Robots(t.Context(), u)
	require.NoError(t, err)
	before, size := transport.Cache.Stats().Bytes, file.Size()
	_, err = transport.Check(t.Context(), u)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, transport.Cache.Stats().Bytes-before, int64(file.Size()-size))
	assert.Greater(t, file.Size(), size+1000)
}

// A file that was evicted while it was asked for again, and is then confirmed, counts
// again.
func TestEvictedFileIsConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		big := strings.Repeat("disallow: /a-rule-of-some-length\n", 5000)
		etagged := func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"1"`)
			w.Header().Set("Cache-Control", "max-age=300")
			if r.Header.Get("If-None-Match") != "" {
				time.Sleep(500 * time.Millisecond)
				w.WriteHeader(304)
				return
			}
			w.Write([]byte("user-agent: *\n" + big))
		}
		web.Robots("a.example", etagged)
		tr := conduct.NewTransport(t, web)
		tr.Cache = &polite.Cache{MaxBytes: 1}
		client := &http.Client{Transport: tr}
		conduct.Get(client, "http://a.example/")
		t.Log("one file:", tr.Cache.Stats().Bytes)
		for range 10 {
			time.Sleep(301 * time.Second)
			conduct.Get(client, "http://a.example/") // refreshes in the background
			synctest.Wait()
			conduct.Get(client, "http://b.example/") // evicts
			time.Sleep(time.Second)                  // the 304 lands
			t.Log("after a 304:", tr.Cache.Stats().Bytes, tr.Cache.Stats().Origins, tr.Cache.Stats().Files)
		}
		assert.Positive(t, tr.Cache.Stats().Bytes)
	})
}

// A request counts once, however long it waits.
func TestARequestCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Caching("", 300))
		web.Page("example.com", "/busy", origintest.Status(429, "Retry-After", "72000"))
		tr := conduct.NewTransport(t, web)
		tr.Cache = new(polite.Cache)
		client := &http.Client{Transport: tr}
		conduct.Get(client, "http://example.com/busy")
		conduct.Get(client, "http://example.com/page")
		s := tr.Cache.Stats()
		assert.LessOrEqual(t, s.Hits+s.Misses, uint64(2), "two requests: %+v", s)
	})
}

// A break holds also if the Cache has forgotten the origin.
func TestEvictedOriginInABreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Status(429, "Retry-After", "86400"))
		tr := conduct.NewTransport(t, web)
		tr.Cache = &polite.Cache{MaxBytes: 1}
		client := &http.Client{Transport: tr}
		for i := range 20 {
			conduct.Get(client, "http://example.com/")
			conduct.Get(client, fmt.Sprintf("http://%d.example.com/", i))
			time.Sleep(time.Minute)
		}
		assert.Less(t, len(web.Log().At("example.com").Robots()), 3, "it asked for a break of a day")
	})
}

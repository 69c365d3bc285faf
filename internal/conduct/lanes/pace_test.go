package lanes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A thousand at once: in order of arrival, and those who would wait for too long
// are told so at once.
func TestCrawlDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Delayed(2))
		transport := conduct.NewTransport(t, web)
		client := conduct.Client(transport)
		conduct.Get(client, "http://example.com/robots.txt")
		conduct.Know(t, transport, "example.com")
		time.Sleep(10 * time.Second) // on the bubble's clock
		before := len(web.Log())

		ctx, cancel := context.WithTimeout(t.Context(), 99*time.Second)
		defer cancel()
		var refused atomic.Int32
		var crowd sync.WaitGroup
		for i := range 1000 {
			crowd.Go(func() {
				start := time.Now()
				err := conduct.Visit(ctx, client, fmt.Sprint("http://example.com/", i))
				if err == nil {
					return
				}
				assert.ErrorAs(t, err, new(*polite.DelayError))
				assert.ErrorIs(t, err, polite.ErrRefused)
				assert.Zero(t, time.Since(start), "told at once")
				refused.Add(1)
			})
			synctest.Wait() // so that it is known who came first
		}
		crowd.Wait()
		log := web.Log()[before:]
		require.Len(t, log, 50)
		assert.EqualValues(t, 950, refused.Load())
		for i, arrival := range log {
			assert.Equal(t, fmt.Sprintf("/%d", i), arrival.URI)
		}
		for _, gap := range conduct.Gaps(log) {
			assert.Equal(t, 2*time.Second, gap)
		}
	})
}

// A response counts as under way until its body is done, not its header.
func TestConcurrency(t *testing.T) {
	conduct.OnBothNets(t, func(t *testing.T, web *origintest.Server) {
		page := &conduct.Slow{Takes: 5 * time.Millisecond}
		web.Page("example.com", "/", page.ServeHTTP)
		transport := conduct.NewTransport(t, web)
		transport.Pace.Concurrency = 3
		client := &http.Client{Transport: transport}
		var crowd sync.WaitGroup
		for range 200 {
			crowd.Go(func() {
				_, err := conduct.Get(client, "http://example.com/")
				assert.NoError(t, err)
			})
		}
		crowd.Wait()
		assert.EqualValues(t, 3, page.Most.Load())
		assert.EqualValues(t, 200, page.All.Load())
	})
}

// Sites with different delays do not wait for each other.
func TestManyOrigins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		client := &http.Client{Transport: conduct.NewTransport(t, web)}
		var crowd sync.WaitGroup
		for i := range 100 {
			host := fmt.Sprintf("%d.example", i)
			web.Robots(host, conduct.Delayed(float64(i)/10))
			for range 50 {
				crowd.Go(func() {
					_, err := conduct.Get(client, "http://"+host+"/")
					assert.NoError(t, err)
				})
			}
		}
		start := time.Now()
		crowd.Wait()
		assert.Equal(t, 49*9900*time.Millisecond, time.Since(start), "as long as the slowest")
		for i := range 100 {
			log := web.Log().At(fmt.Sprintf("%d.example", i)).Pages()
			require.Len(t, log, 50)
			for _, gap := range conduct.Gaps(log) {
				require.Equal(t, time.Duration(i)*100*time.Millisecond, gap)
			}
		}
	})
}

// Who leaves gives his turn to the next.
func TestCancelledInQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Delayed(1))
		transport := conduct.NewTransport(t, web)
		transport.Pace.Concurrency = 2
		client := &http.Client{Transport: transport}
		random := rand.New(rand.NewPCG(1, 2))
		var served, left atomic.Int32
		var crowd sync.WaitGroup
		for i := range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%2 == 0 {
				time.AfterFunc(time.Duration(random.IntN(30_000))*time.Millisecond, cancel)
			}
			crowd.Go(func() {
				start := time.Now()
				if err := conduct.Read(ctx, client, "http://example.com/"); err != nil {
					assert.ErrorIs(t, err, context.Canceled)
					assert.LessOrEqual(t, time.Since(start), 30*time.Second)
					left.Add(1)
					return
				}
				served.Add(1)
			})
		}
		crowd.Wait()
		log := web.Log().Pages()
		assert.GreaterOrEqual(t, int(served.Load()), 50)
		assert.EqualValues(t, 100, served.Load()+left.Load())
		assert.Len(t, log, int(served.Load()))
		for _, gap := range conduct.Gaps(log) {
			assert.Equal(t, time.Second, gap, "no turn is lost, and none comes early")
		}
	})
}

func TestDelayError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Delayed(6))
		transport := conduct.NewTransport(t, web)
		transport.Cache = new(polite.Cache)
		client := &http.Client{Transport: transport}
		_, err := conduct.Get(client, "http://example.com/")
		require.NoError(t, err)

		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		hasty := *client
		hasty.Timeout = 5 * time.Second
		impatient := &http.Client{Transport: &polite.Transport{UserAgent: conduct.UserAgent, Base: transport.Base, Cache: transport.Cache, Pace: polite.Pace{MaxWait: 5 * time.Second}}}
		start, wait := time.Now(), time.Duration(0)
		for name, try := range map[string]func(*http.Request) (*http.Response, error){
			"context": func(req *http.Request) (*http.Response, error) { return client.Do(req.WithContext(ctx)) },
			"Timeout": hasty.Do,
			"MaxWait": impatient.Do,
		} {
			sent := conduct.NewBody()
			req, err := http.NewRequest("POST", "http://user:secret@example.com/", sent)
			require.NoError(t, err)
			_, err = try(req)
			late, ok := errors.AsType[*polite.DelayError](err)
			require.True(t, ok, "%s: %v", name, err)
			wait += 6 * time.Second // each learns a turn of its own
			assert.Equal(t, wait, late.Wait)
			assert.True(t, late.Turn.Equal(start.Add(wait)))
			assert.Equal(t, 6*time.Second, late.Gap)
			assert.True(t, late.Allowed, "robots.txt has nothing against it")
			assert.EqualError(t, late, "polite: http://user:xxxxx@example.com/ was not sent: the request can only wait for 5s (its context, the client's Timeout, or MaxWait); send it again in "+wait.String()+", at "+late.Turn.Format(time.RFC3339))
			assert.EqualValues(t, 1, sent.Closed.Load(), "body closed")
		}
		assert.Zero(t, time.Since(start), "at once")
		time.Sleep(6 * time.Second) // on the bubble's clock
		_, err = conduct.Get(&hasty, "http://example.com/")
		assert.NoError(t, err)
	})
}

func TestRetryAfter(t *testing.T) {
	tests := []struct {
		value string
		want  time.Duration
	}{
		{"120", 2 * time.Minute},
		{"Sat, 01 Jan 2000 00:10:00 GMT", 10 * time.Minute}, // a bubble begins at midnight before
		{"Fri, 31 Dec 1999 23:59:59 GMT", 0},
		{"-5", 0},
		{"", 0},
		{"soon", 0},
		{"99999999999999999999", 24 * time.Hour},
	}
	for _, test := range tests {
		for _, status := range []int{429, 503, 403, 404} {
			for _, on := range []string{"/page", "/robots.txt"} {
				synctest.Test(t, func(t *testing.T) {
					web := origintest.NewInMemory(t)
					web.Page("example.com", on, origintest.Status(status, "Retry-After", test.value), origintest.Text("ok"))
					transport := conduct.NewTransport(t, web)
					transport.Policy.TooManyRequests, transport.Policy.Unreachable = polite.AllowAll, polite.AllowAll
					client := &http.Client{Transport: transport}
					code, err := conduct.Get(client, "http://example.com/page")
					require.NoError(t, err)
					if on == "/page" {
						assert.Equal(t, status, code, "the response is the caller's")
					}
					_, err = conduct.Get(client, "http://example.com/page")
					require.NoError(t, err)
					want := test.want
					if status == 404 {
						want = 0
					}
					log := web.Log().Pages()
					require.Len(t, log, 2)
					first := web.Log()[0].Time
					got := log[1].Time.Sub(first)
					if want == 0 && status > 404 && on == "/page" { // the break is that of the Backoff
						assert.InDelta(t, 1.05, got.Seconds(), 0.05, "%d: %q", status, test.value)
					} else {
						assert.Equal(t, want, got, "%d on %s: %q", status, on, test.value)
					}
				})
			}
		}
	}
}

func TestBeyond(t *testing.T) {
	tests := []struct {
		pace    polite.Pace
		want    time.Duration
		refused bool
	}{
		{polite.Pace{}, 30 * time.Second, false},
		{polite.Pace{MaxDelay: time.Minute}, time.Minute, false},
		{polite.Pace{MaxDelay: 2 * time.Hour}, time.Hour, false},
		{polite.Pace{MaxDelay: polite.NoDelay}, 0, false},
		{polite.Pace{MaxDelay: polite.NoDelay, MinDelay: time.Second}, time.Second, false},
		{polite.Pace{MaxDelay: polite.NoDelay, RefuseLonger: true}, 0, false},
		{polite.Pace{MaxDelay: polite.Forever}, time.Hour, false},
		{polite.Pace{MinDelay: 2 * time.Hour}, 2 * time.Hour, false},
		{polite.Pace{RefuseLonger: true}, 0, true},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", conduct.Delayed(3600))
			var out conduct.Log
			transport := conduct.NewTransport(t, web)
			transport.Pace = test.pace
			transport.Logger = out.Logger(slog.LevelInfo)
			client := &http.Client{Transport: transport}
			_, err := conduct.Get(client, "http://example.com/")
			if test.refused {
				late, ok := errors.AsType[*polite.DelayError](err)
				require.True(t, ok)
				assert.ErrorContains(t, err, "the site asks for a delay of 1h0m0s")
				assert.Equal(t, time.Hour, late.CrawlDelay)
				assert.Greater(t, late.Wait, 20*time.Hour, "when robots.txt is asked for again")
				assert.WithinDuration(t, late.Next, late.Turn, 0)
				assert.WithinDuration(t, time.Now().Add(late.Wait), late.Turn, 0)
				assert.Empty(t, web.Log().Pages())
				assert.Contains(t, out.String(), "requests are refused")
				decision := conduct.Decide(t, transport, "/")
				assert.Zero(t, decision.Gap)
				assert.True(t, decision.Start.Equal(late.Turn))
				return
			}
			require.NoError(t, err)
			start := time.Now()
			decision := conduct.Decide(t, transport, "/")
			assert.Equal(t, time.Hour, decision.CrawlDelay)
			assert.Equal(t, test.want, decision.Gap)
			if test.want > 0 {
				assert.True(t, decision.Start.Equal(start.Add(test.want)))
			}
			_, err = conduct.Get(client, "http://example.com/")
			require.NoError(t, err)
			assert.Equal(t, test.want, time.Since(start))
			clamped := test.want < time.Hour
			assert.Equal(t, clamped, strings.Contains(out.String(), "crawl-delay is longer than it is honoured"), "a cap is told")
		})
	}
}

// An exempt request takes no turn, and nobody waits for it.
func TestExemptTakesNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Delayed(2))
		transport := conduct.NewTransport(t, web)
		transport.Policy.Exempt = func(req *http.Request) bool { return req.URL.Path == "/api" }
		client := &http.Client{Transport: transport}
		start := time.Now()
		for _, path := range []string{"/", "/api", "/api"} {
			_, err := conduct.Get(client, "http://example.com"+path)
			require.NoError(t, err)
		}
		assert.Zero(t, time.Since(start))
		_, err := conduct.Get(client, "http://example.com/")
		require.NoError(t, err)
		assert.Equal(t, 2*time.Second, time.Since(start))
	})
}

func TestJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		transport := conduct.NewTransport(t, web)
		transport.Pace = polite.Pace{MinDelay: time.Second, Jitter: 0.5}
		client := &http.Client{Transport: transport}
		for range 50 {
			_, err := conduct.Get(client, "http://example.com/")
			require.NoError(t, err)
		}
		different := make(map[time.Duration]bool)
		for _, gap := range conduct.Gaps(web.Log().Pages()) {
			assert.GreaterOrEqual(t, gap, time.Second)
			assert.LessOrEqual(t, gap, 1500*time.Millisecond)
			different[gap] = true
		}
		assert.Greater(t, len(different), 40)
	})
}

// However a response ends, its slot comes back, once.
func TestSlotsComeBack(t *testing.T) {
	upgrade := origintest.Raw("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello")
	ends := map[string]func(*testing.T, *http.Response, context.CancelFunc){
		"closed":          func(_ *testing.T, resp *http.Response, _ context.CancelFunc) { resp.Body.Close() },
		"closed twice":    func(_ *testing.T, resp *http.Response, _ context.CancelFunc) { resp.Body.Close(); resp.Body.Close() },
		"read to its end": func(_ *testing.T, resp *http.Response, _ context.CancelFunc) { io.Copy(io.Discard, resp.Body) },
		"read and closed": func(_ *testing.T, resp *http.Response, _ context.CancelFunc) {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		},
		"of no body, and forgotten": func(*testing.T, *http.Response, context.CancelFunc) {},
		"read after cancel": func(t *testing.T, resp *http.Response, cancel context.CancelFunc) {
			cancel()
			_, err := io.Copy(io.Discard, resp.Body)
			assert.Error(t, err)
		},
		"cancelled, and forgotten": func(_ *testing.T, _ *http.Response, cancel context.CancelFunc) { cancel() },
		"upgraded": func(t *testing.T, resp *http.Response, _ context.CancelFunc) {
			conn, ok := resp.Body.(io.ReadWriteCloser)
			if assert.True(t, ok, "can be written to") {
				conn.Write([]byte("hello"))
				conn.Close()
			}
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				page := (&conduct.Slow{Takes: time.Second}).ServeHTTP
				if name == "upgraded" {
					page = upgrade
				}
				if name == "of no body, and forgotten" {
					page = origintest.Status(204)
				}
				web.Page("example.com", "/", page)
				transport := conduct.NewTransport(t, web)
				transport.Pace.Concurrency = 1
				client := &http.Client{Transport: transport}
				for range 3 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					req, err := http.NewRequestWithContext(ctx, "GET", "http://example.com/", nil)
					require.NoError(t, err)
					resp, err := client.Do(req)
					require.NoError(t, err)

					hasty, stop := context.WithTimeout(t.Context(), time.Millisecond)
					_, err = client.Do(req.WithContext(hasty))
					assert.Equal(t, resp.Body == http.NoBody, err == nil, "the slot is taken while there is a body")
					stop()
					end(t, resp, cancel)
				}
				_, err := conduct.Get(client, "http://example.com/")
				assert.NoError(t, err)
			})
		})
	}

	t.Run("error and panic", func(t *testing.T) {
		var fail func() = func() {}
		transport := &polite.Transport{UserAgent: conduct.UserAgent, Pace: polite.Pace{Concurrency: 1}, Base: origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/robots.txt" {
				return &http.Response{StatusCode: 404, Body: http.NoBody}, nil
			}
			fail()
			return nil, errors.New("refused")
		})}
		client := &http.Client{Transport: transport}
		for range 3 {
			_, err := conduct.Get(client, "http://example.com/")
			assert.ErrorContains(t, err, "refused")
		}
		fail = func() { panic("boom") }
		for range 3 {
			assert.Panics(t, func() { conduct.Get(client, "http://example.com/") })
		}
	})
}

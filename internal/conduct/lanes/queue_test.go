package lanes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
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
	"github.com/go-polite/polite/internal/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Nobody but those who wait makes the rules known that change meanwhile: they are
// asked for in time, hold for all who wait, and cost no one the place.
func TestQueueFollowsTheRules(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	const maxAge = 300 * time.Second
	n := long.Or(300, 3000)
	times := time.Duration(3000 / n) // as long are the gaps, so that the queue lasts for as long
	tests := []struct {
		name    string
		delay   time.Duration
		allowed bool          // later
		later   time.Duration // the delay if it is allowed
		change  time.Duration
	}{
		{"disallowed", 30 * time.Second, false, 0, 1 * time.Hour},
		{"disallowed after a day", 30 * time.Second, false, 0, 24*time.Hour + 30*time.Minute},
		{"a longer delay", 2 * time.Second, true, 20 * time.Second, 30 * time.Minute},
		{"a shorter delay", 20 * time.Second, true, 2 * time.Second, 30 * time.Minute},
		{"the same for longer than a day", 30 * time.Second, true, 30 * time.Second, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				gap, laterGap := times*test.delay, times*test.later
				rules := func(gap time.Duration) string {
					return fmt.Sprintf("user-agent: *\ncrawl-delay: %.0f\n", gap.Seconds())
				}
				later := rules(laterGap)
				if !test.allowed {
					later = rules(gap) + "disallow: /\n"
				}
				web.Robots("example.com", conduct.Changing(conduct.Caching(rules(gap), 300), test.change, conduct.Caching(later, 300)))
				start, transport := time.Now(), conduct.NewTransport(t, web)
				transport.Pace.MaxDelay = times * 30 * time.Second
				errs := conduct.Queued(&http.Client{Transport: transport}, n)

				pages := web.Log().Pages()
				known := start.Add(test.change + maxAge)
				refused := 0
				for _, err := range errs {
					if err != nil {
						assert.ErrorIs(t, err, polite.ErrRefused)
						refused++
					}
				}
				assert.Equal(t, n, len(pages)+refused)
				if test.allowed {
					assert.Zero(t, refused)
				} else {
					assert.False(t, pages[len(pages)-1].Time.After(known), "%v after the change", pages[len(pages)-1].Time.Sub(start)-test.change)
					assert.False(t, time.Now().After(known.Add(time.Second)), "all are told when it is known")
				}
				for i, a := range pages {
					require.Equal(t, fmt.Sprint("/", i), a.URI, "places are kept")
					switch {
					case i == 0:
					case pages[i-1].Time.Before(start.Add(test.change)):
						require.GreaterOrEqual(t, a.Time.Sub(pages[i-1].Time), gap)
					case pages[i-1].Time.After(known):
						require.Equal(t, laterGap, a.Time.Sub(pages[i-1].Time), "page %d", i)
					}
				}
				t.Logf("%d arrived, %d refused, %d requests for robots.txt in %v", len(pages), refused, len(web.Log().Robots()), time.Since(start))
			})
		})
	}
}

// A break is not broken to ask for rules, but who goes after it goes by those of
// then.
func TestRulesAfterABreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		const day = 20 * time.Hour
		web.Robots("example.com", conduct.Changing(conduct.Caching("", 300), time.Hour, conduct.Caching("user-agent: *\ndisallow: /\n", 300)))
		web.Page("example.com", "/busy", origintest.Status(429, "Retry-After", fmt.Sprint(int(day.Seconds()))))
		client := &http.Client{Transport: conduct.NewTransport(t, web)}
		start := time.Now()
		_, err := conduct.Get(client, "http://example.com/busy")
		require.NoError(t, err)
		for _, err := range conduct.Queued(client, 10) {
			assert.ErrorAs(t, err, new(*polite.DisallowedError))
		}
		log := web.Log()
		assert.Len(t, log.Pages(), 1)
		require.Len(t, log.Robots(), 2)
		assert.Equal(t, day, log.Robots()[1].Time.Sub(start))
	})
}

// Without a Backoff, a thousand that wait for a break to end do not start together: one goes
// first, and one more with each round of good answers.
func TestAfterABreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		const takes = 100 * time.Millisecond
		web.Page("example.com", "/busy", origintest.Status(503, "Retry-After", "60"))
		for i := range 1000 {
			web.Page("example.com", fmt.Sprint("/", i), origintest.Delay(takes, origintest.Text("ok")))
		}
		transport := conduct.NewTransport(t, web)
		transport.Pace.Backoff.Off = true
		client := &http.Client{Transport: transport}
		_, err := conduct.Get(client, "http://example.com/busy")
		require.NoError(t, err)
		over := time.Now().Add(time.Minute)
		for _, err := range conduct.Queued(client, 1000) {
			require.NoError(t, err)
		}
		arrived := make(map[time.Duration]int)
		pages := web.Log().Pages()[1:]
		require.Len(t, pages, 1000)
		for _, a := range pages {
			arrived[a.Time.Sub(over)]++
		}
		for round := range time.Duration(44) {
			assert.Equal(t, int(round)+1, arrived[round*takes], "round %d", round)
		}
		t.Logf("the last arrived %v after the break", pages[999].Time.Sub(over))
	})
}

// The gap is kept at the site, however long each request takes to connect.
func TestGapWhereItIsWritten(t *testing.T) {
	for _, gap := range []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			transport := conduct.NewTransport(t, web)
			transport.Pace.MinDelay = gap
			conduct.SlowToConnect(transport.Base.(*http.Transport), 300*time.Millisecond, rand.New(rand.NewPCG(1, uint64(gap))))
			start := time.Now()
			for _, err := range conduct.Queued(&http.Client{Transport: transport}, 300) {
				require.NoError(t, err)
			}
			for i, got := range conduct.Gaps(web.Log().Pages()) {
				require.GreaterOrEqual(t, got, gap, "gap %d", i)
			}
			ideal := 299 * gap
			took := web.Log().Pages()[299].Time.Sub(start)
			t.Logf("gap %v: %v for %v", gap, took, ideal)
			assert.Less(t, took, ideal+ideal/10+time.Second, "the same throughput")
		})
	}
}

// Who gives up while it connects sends nothing, and costs the others nothing.
func TestCancelledWhileConnecting(t *testing.T) {
	const gap = 100 * time.Millisecond
	crowd := func(t *testing.T, scheme string) {
		web := origintest.NewInMemory(t)
		transport := conduct.NewTransport(t, web)
		transport.Pace.MinDelay = gap
		client := &http.Client{Transport: transport}
		_, err := conduct.Get(client, scheme+"://example.com/robots.txt")
		require.NoError(t, err)
		base := transport.Base.(*http.Transport)
		dial := base.DialContext
		base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			time.Sleep(7 * gap / 2)
			return dial(ctx, network, address)
		}
		base.CloseIdleConnections()
		var crowd sync.WaitGroup
		for i := range 8 {
			crowd.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(4+i%2*40)*gap)
				defer cancel()
				req, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s://example.com/%d", scheme, i), nil)
				assert.NoError(t, err)
				if resp, err := client.Do(req); err == nil {
					resp.Body.Close()
				} else {
					assert.Zero(t, i%2, "%d: %v", i, err)
				}
			})
		}
		crowd.Wait()
		log := web.Log().Pages()
		assert.GreaterOrEqual(t, len(log), 4)
		for i, got := range conduct.Gaps(log) {
			assert.GreaterOrEqual(t, got, gap, "gap %d", i)
		}
	}
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				crowd(t, scheme)
				time.Sleep(time.Second) // until the last has connected
			})
		})
	}
}

// Transports that share a Cache share its turns.
func TestSharedTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Delayed(1))
		web.Page("example.com", "/busy", origintest.Status(429, "Retry-After", "60"))
		base, cache := web.Transport(t), new(polite.Cache)
		one := &http.Client{Transport: &polite.Transport{UserAgent: conduct.UserAgent, Base: base, Cache: cache}}
		two := &http.Client{Transport: &polite.Transport{UserAgent: "Other/1.0", Base: base, Cache: cache}}
		for range 3 {
			for _, client := range []*http.Client{one, two} {
				_, err := conduct.Get(client, "http://example.com/")
				require.NoError(t, err)
			}
		}
		for _, gap := range conduct.Gaps(web.Log().Pages()) {
			assert.Equal(t, time.Second, gap)
		}
		_, err := conduct.Get(one, "http://example.com/busy")
		require.NoError(t, err)
		start := time.Now()
		_, err = conduct.Get(two, "http://example.com/")
		require.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(start), "the break of the other")
	})
}

// A slot is given back when the context of its request ends, though nobody closes
// the body.
func TestSlotEndsWithContext(t *testing.T) {
	conduct.OnBothNets(t, func(t *testing.T, web *origintest.Server) {
		web.Page("example.com", "/endless", origintest.HangAfter("the beginning"))
		transport := conduct.NewTransport(t, web)
		transport.Pace.Concurrency = 1
		client := &http.Client{Transport: transport}
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, "GET", "http://example.com/endless", nil)
		require.NoError(t, err)
		resp, err := client.Do(req)
		require.NoError(t, err)
		cancel()
		_, err = conduct.Get(client, "http://example.com/")
		require.NoError(t, err)
		resp.Body.Close()
	})
}

// A panic of the user's code while a turn is held or waited for keeps no turn.
func TestPanicKeepsNoTurn(t *testing.T) {
	for _, name := range []string{"Judged", "Key", "Sites", "Exempt", "Base"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", conduct.Changing(conduct.Caching("user-agent: *\ncrawl-delay: 30\n", 300), time.Second, conduct.Caching(conduct.Rules, 300)))
				transport := conduct.NewTransport(t, web)
				transport.Pace.Concurrency = 1
				base := transport.Base
				var armed atomic.Bool
				boom := func() {
					if armed.Load() {
						panic("boom")
					}
				}
				switch name {
				case "Judged":
					transport.Trace.Judged = func(*http.Request, polite.Ruling) { boom() }
				case "Key":
					transport.Pace.Key = func(*http.Request) string { boom(); return "" }
				case "Sites":
					transport.Sites = func(*http.Request) *polite.Options { boom(); return nil }
				case "Exempt":
					transport.Policy.Exempt = func(*http.Request) bool { boom(); return false }
				case "Base":
					transport.Base = conduct.RoundTripper(func(req *http.Request) (*http.Response, error) {
						if strings.HasPrefix(req.URL.Path, "/private") {
							boom()
						}
						return base.RoundTrip(req)
					})
				}
				client := &http.Client{Transport: transport}
				_, err := conduct.Get(client, "http://example.com/")
				require.NoError(t, err)
				armed.Store(true)
				var crowd sync.WaitGroup
				for range 20 { // in the queue when the rules change
					crowd.Go(func() {
						defer func() { recover() }()
						conduct.Get(client, "http://example.com/private")
					})
				}
				crowd.Wait()
				armed.Store(false)
				_, err = conduct.Get(client, "http://example.com/public")
				assert.NoError(t, err)
			})
		})
	}
}

// Whoever is refused because too many wait already is told of a time to come, so
// that to put it off until then is no busy loop.
func TestFullQueueTellsATimeToCome(t *testing.T) {
	for _, pace := range []polite.Pace{
		{Concurrency: 2, MaxQueue: 5},
		{MinDelay: time.Second, MaxQueue: 5},
		{Concurrency: 2, MaxQueue: polite.NoQueue},
		{MinDelay: time.Second, MaxQueue: polite.NoQueue},
	} {
		synctest.Test(t, func(t *testing.T) {
			const pages = 100
			web := origintest.NewInMemory(t)
			for i := range pages {
				web.Page("example.com", fmt.Sprint("/", i), origintest.Delay(500*time.Millisecond, origintest.Text("ok")))
			}
			transport := conduct.NewTransport(t, web)
			transport.Pace = pace
			client := &http.Client{Transport: transport}
			var refusals atomic.Int32
			var crowd sync.WaitGroup
			for i := range pages {
				crowd.Go(func() {
					for {
						_, err := conduct.Get(client, fmt.Sprint("http://example.com/", i))
						if err == nil {
							return
						}
						late, ok := errors.AsType[*polite.DelayError](err)
						if !assert.True(t, ok, "%v", err) {
							return
						}
						assert.True(t, late.Turn.After(time.Now()))
						assert.Positive(t, late.Wait)
						refusals.Add(1)
						time.Sleep(time.Until(late.Turn)) // on the bubble's clock
					}
				})
			}
			crowd.Wait()
			assert.Less(t, int(refusals.Load()), pages*pages/2, "each once a second at most")
			t.Logf("%+v: %d refusals", pace, refusals.Load())
		})
	}
}

// With RefuseLonger, what is told agrees with what is done.
func TestRefusedDelayIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Delayed(3600))
		var out conduct.Log
		transport := conduct.NewTransport(t, web)
		transport.Pace.RefuseLonger = true
		transport.Logger = out.Logger(slog.LevelInfo)
		_, err := conduct.Get(&http.Client{Transport: transport}, "http://example.com/")
		late, ok := errors.AsType[*polite.DelayError](err)
		require.True(t, ok)
		assert.Contains(t, out.String(), "requests are refused")
		assert.NotContains(t, out.String(), "honoured")
		decision, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "example.com", Path: "/"})
		require.NoError(t, err)
		assert.Equal(t, time.Hour, decision.CrawlDelay)
		assert.Zero(t, decision.Gap)
		assert.True(t, decision.Start.Equal(late.Turn))
	})
}

// MaxRetryAfter holds for robots.txt too.
func TestMaxRetryAfterOfRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Status(503, "Retry-After", "86400"), origintest.Text(conduct.Rules))
		transport := conduct.NewTransport(t, web)
		transport.Pace.MaxRetryAfter = 10 * time.Minute
		client := &http.Client{Transport: transport}
		_, err := conduct.Get(client, "http://example.com/")
		refused, ok := errors.AsType[*polite.NoRulesError](err)
		require.True(t, ok)
		assert.LessOrEqual(t, time.Until(refused.Next), 10*time.Minute)
		time.Sleep(10*time.Minute + time.Second) // on the bubble's clock
		_, err = conduct.Get(client, "http://example.com/")
		assert.NoError(t, err)
	})
}

// A site may ask for a break where it answers for robots.txt: with the statuses of which a
// Retry-After counts for a page, and with no others.
func TestRetryAfterOfRobots(t *testing.T) {
	for code, asks := range map[int]bool{403: true, 404: false, 401: false} { // 429 and 503 disallow all meanwhile
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", origintest.Status(code, "Retry-After", "60"))
				began := time.Now()
				_, err := conduct.Get(conduct.Client(conduct.NewTransport(t, web)), "http://example.com/")
				require.NoError(t, err)
				assert.Equal(t, asks, time.Since(began) >= time.Minute, time.Since(began))
			})
		})
	}
}

// The Logger is told once when requests begin to wait for long.
func TestLongWaitIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/busy", origintest.Status(429, "Retry-After", "86400"), origintest.Status(429, "Retry-After", "30"))
		var out conduct.Log
		transport := conduct.NewTransport(t, web)
		transport.Logger = out.Logger(slog.LevelInfo)
		client := &http.Client{Transport: transport}
		told := func() int { return strings.Count(out.String(), "requests wait long for their turn") }
		for day := range 2 {
			_, err := conduct.Get(client, "http://example.com/busy")
			require.NoError(t, err)
			conduct.Queued(client, 20)
			assert.Equal(t, 1, told(), "day %d", day)
		}
	})
}

// Sites that ask for long breaks take no more memory than Cache.MaxBytes.
func TestBreaksAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it visits many sites")
	}
	const bound = 4 << 20
	busy := conduct.RoundTripper(func(req *http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: 404, Header: http.Header{}, Body: http.NoBody, Request: req}
		if req.URL.Path != "/robots.txt" {
			resp.StatusCode, resp.Header["Retry-After"] = 429, []string{"86400"}
		}
		return resp, nil
	})
	cache := &polite.Cache{MaxBytes: int64(bound)}
	client := &http.Client{Transport: &polite.Transport{UserAgent: conduct.UserAgent, Base: busy, Cache: cache}}
	before := conduct.Heap()
	for i := range long.Or(15_000, 100_000) {
		_, err := conduct.Get(client, fmt.Sprintf("http://%d.example/%s", i, strings.Repeat("x", 100)))
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, cache.Stats().Bytes, int64(bound))
	t.Logf("%d bytes on the heap, %d counted, %d origins", conduct.Heap()-before, cache.Stats().Bytes, cache.Stats().Origins)
	assert.Less(t, conduct.Heap()-before, int64(bound*5/4))
	runtime.KeepAlive(client)
}

// A break that begins while requests wait is told, too.
func TestBreakIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log conduct.Log
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/0", origintest.Delay(500*time.Millisecond, origintest.Status(429, "Retry-After", "86400")))
		tr := conduct.NewTransport(t, web)
		tr.Pace.MinDelay = time.Second
		tr.Logger = log.Logger(slog.LevelInfo)
		start := time.Now()
		conduct.Queued(&http.Client{Transport: tr}, 5)
		assert.Contains(t, log.String(), "wait long", "five workers waited %v", time.Since(start))
	})
}

func TestHugeMinDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		tr := conduct.NewTransport(t, web)
		tr.Pace.MinDelay = math.MaxInt64
		client := &http.Client{Transport: tr}
		conduct.Get(client, "http://example.com/")
		for i := range 4 {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				req, _ := http.NewRequestWithContext(ctx, "GET", "http://example.com/", nil)
				client.Do(req)
			}()
			synctest.Wait()
			late, stop := context.WithTimeout(t.Context(), time.Minute)
			start := time.Now()
			req, _ := http.NewRequestWithContext(late, "GET", "http://example.com/", nil)
			_, err := client.Do(req)
			stop()
			assert.Zero(t, time.Since(start), "waiting %d: %v", i+1, err)
		}
		assert.Len(t, web.Log().Pages(), 1)
	})
}

// However long a queue is, who cannot be in time is told at once.
func TestOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Delayed(30*24*3600)) // the most that is not a mistake
		tr := conduct.NewTransport(t, web)
		tr.Pace.MaxDelay = polite.Forever
		client := &http.Client{Transport: tr}
		ctx, cancel := context.WithCancel(t.Context())
		conduct.Get(client, "http://example.com/")
		var wg sync.WaitGroup
		for range 4000 { // 4000 × 30 days is 328 years
			wg.Go(func() {
				req, _ := http.NewRequestWithContext(ctx, "GET", "http://example.com/", nil)
				client.Do(req)
			})
		}
		synctest.Wait()
		late, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		start := time.Now()
		req, _ := http.NewRequestWithContext(late, "GET", "http://example.com/", nil)
		_, err := client.Do(req)
		t.Log(time.Since(start), err)
		assert.Zero(t, time.Since(start), "fails at once")
		assert.ErrorAs(t, err, new(*polite.DelayError))
		cancel()
		wg.Wait()
	})
}

// The others do not follow an answer for longer than a minute that does not come.
func TestAnswerThatDoesNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/busy", origintest.Status(503, "Retry-After", "1"))
		web.Page("example.com", "/hangs", origintest.Hang)
		tr := conduct.NewTransport(t, web)
		client := &http.Client{Transport: tr}
		conduct.Get(client, "http://example.com/busy")
		time.Sleep(2 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Hour)
		defer cancel()
		go func() {
			req, _ := http.NewRequestWithContext(ctx, "GET", "http://example.com/hangs", nil)
			client.Do(req)
		}()
		synctest.Wait()
		start := time.Now()
		conduct.Get(client, "http://example.com/other")
		assert.LessOrEqual(t, time.Since(start), time.Minute)
	})
}

// Nobody asks for robots.txt in a break, however often a failure would be tried again.
func TestNobodyAsksInABreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Status(503))
		web.Page("example.com", "/busy", origintest.Status(429, "Retry-After", "72000"))
		tr := conduct.NewTransport(t, web)
		tr.Policy.Unreachable = polite.AllowAll
		client := &http.Client{Transport: tr}
		conduct.Get(client, "http://example.com/busy")
		n := len(web.Log().Robots())
		conduct.Queued(client, 5)
		in := 0
		for _, a := range web.Log().Robots()[n:] {
			if a.Time.Sub(web.Log()[0].Time) < 72000*time.Second {
				in++
			}
		}
		assert.Zero(t, in, "requests for robots.txt in the break of 20h")
	})
}

// MaxWait holds also while the first in the queue waits for robots.txt.
func TestMaxWaitWhileAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Changing(conduct.Caching("", 300), 10*time.Second, origintest.Hang))
		tr := conduct.NewTransport(t, web)
		tr.Policy.Timeout = 30 * time.Second
		tr.Pace.MinDelay = 100 * time.Second
		tr.Pace.MaxWait = 401 * time.Second
		var wg sync.WaitGroup
		client := &http.Client{Transport: tr}
		for i := range 5 {
			wg.Go(func() {
				start := time.Now()
				_, err := conduct.Get(client, fmt.Sprint("http://example.com/", i))
				took := time.Since(start)
				assert.LessOrEqual(t, took, 401*time.Second, "%d: %v", i, err)
			})
			synctest.Wait()
		}
		wg.Wait()
	})
}

// A crawl-delay that grows is kept to the request before.
func TestDelayThatGrows(t *testing.T) {
	for range 10 {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", conduct.Changing(conduct.Caching("user-agent: *\ncrawl-delay: 1\n", 300), time.Minute, conduct.Caching("user-agent: *\ncrawl-delay: 30\n", 300)))
			web.Robots("other.example", conduct.Delayed(1))
			tr := conduct.NewTransport(t, web)
			client := &http.Client{Transport: tr}
			conduct.Get(client, "http://example.com/0")
			time.Sleep(301 * time.Second)
			conduct.Get(client, "http://example.com/1") // the refresh finds the delay of 30s
			for range 8 {                               // others come meanwhile, and tidy
				time.Sleep(time.Second)
				conduct.Get(client, "http://other.example/")
				for range 8 {
					time.Sleep(101 * time.Millisecond)
					conduct.Get(client, "http://third.example/")
				}
			}
			conduct.Get(client, "http://example.com/2")
			pages := web.Log().At("example.com").Pages()
			assert.GreaterOrEqual(t, pages[2].Time.Sub(pages[1].Time), 30*time.Second)
		})
	}
}

// Rules, breaks, delays and waiters that come and go: nobody is lost.
func TestPlacesStress(t *testing.T) {
	for seed := range 30 {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			cache := &polite.Cache{MaxBytes: 1}
			web.Robots("a.example", func(w http.ResponseWriter, r *http.Request) {
				n := time.Now().Unix()
				if n%5 == int64(seed%5) {
					w.WriteHeader(503)
					return
				}
				w.Header().Set("Cache-Control", "max-age=300")
				fmt.Fprintf(w, "user-agent: *\ncrawl-delay: %d\ndisallow: /%d\n", n%7, n%10)
			})
			web.Page("a.example", "/429", origintest.Status(429, "Retry-After", "100"))
			var trs []*polite.Transport
			for i := range 3 {
				tr := conduct.NewTransport(t, web)
				tr.Cache = cache
				tr.Pace = polite.Pace{MinDelay: time.Duration(i) * time.Second, Concurrency: i, Jitter: float64(i) / 5, MaxWait: time.Duration(i*2000) * time.Second}
				trs = append(trs, tr)
			}
			var wg sync.WaitGroup
			for i := range 200 {
				wg.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					switch i % 4 {
					case 0:
						time.AfterFunc(time.Duration(i*(seed+7)*31%3000)*time.Second, cancel)
					case 1:
						var stop func()
						ctx, stop = context.WithTimeout(ctx, time.Duration(i*(seed+3)*17%3000)*time.Second)
						defer stop()
					}
					path := fmt.Sprintf("/%d", i)
					if i%40 == 5 {
						path = "/429"
					}
					req, _ := http.NewRequestWithContext(ctx, "GET", "http://a.example"+path, nil)
					resp, err := trs[i%3].RoundTrip(req)
					if err == nil {
						resp.Body.Close()
					}
				})
			}
			for i := range 20 {
				wg.Go(func() {
					time.Sleep(time.Duration(i*100) * time.Second)
					conduct.Get(&http.Client{Transport: trs[0]}, fmt.Sprintf("http://b%d.example/", i))
				})
			}
			wg.Wait() // synctest fails if it does not end
			start := time.Now()
			trs[0].Pace = polite.Pace{}
			conduct.Get(&http.Client{Transport: trs[0]}, "http://a.example/429x")
			assert.Less(t, time.Since(start), 200*time.Second, "the lane is alive")
		})
	}
}

// A break is no outage: when it is over, the rules are asked for before a request goes
// by a copy that is older than a day.
func TestRulesExpireInABreak(t *testing.T) {
	for _, late := range []time.Duration{2 * time.Second, 41 * time.Second} { // in the break, or just after it
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("a.example", conduct.Changing(origintest.Text(conduct.Rules), time.Hour, origintest.Text("user-agent: *\ndisallow: /\n")))
			web.Page("b.example", "/busy", origintest.Status(429, "Retry-After", "40"))
			transport := conduct.NewTransport(t, web)
			transport.Pace.Key = func(*http.Request) string { return "one machine" }
			client := &http.Client{Transport: transport}
			_, err := conduct.Get(client, "http://a.example/")
			require.NoError(t, err)
			time.Sleep(24*time.Hour - time.Second) // on the bubble's clock
			_, err = conduct.Get(client, "http://b.example/busy")
			require.NoError(t, err)
			time.Sleep(2 * time.Second) // the day is over, the break is not
			transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "a.example", Path: "/page"})
			time.Sleep(late - 2*time.Second)
			_, err = conduct.Get(client, "http://a.example/page")
			assert.ErrorAs(t, err, new(*polite.DisallowedError))
			assert.Len(t, web.Log().At("a.example").Pages(), 1)
		})
	}
}

package request_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
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

// reports are what a dry run has told.
type reports struct {
	mu   sync.Mutex
	told []error
}

func (r *reports) add(_ *http.Request, refusal error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, refusal)
}

// waits returns how long requests would have waited, in order.
func (r *reports) waits() (waits []time.Duration) {
	for _, err := range r.told {
		if late, ok := errors.AsType[*polite.DelayError](err); ok {
			waits = append(waits, late.Wait)
		}
	}
	return waits
}

// A crawl in a dry run takes as long as one of a plain client, whatever the site says, and all that would
// have been refused or late is told.
func TestDryRun(t *testing.T) {
	crawl := func(t *testing.T, transport func(*origintest.Server) http.RoundTripper) (took time.Duration, log origintest.Log) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Delay(5*time.Second, conduct.Delayed(10)))
		web.Robots("silent.example", origintest.Delay(time.Hour, origintest.Text("")))
		web.Page("example.com", "/busy", origintest.Status(429, "Retry-After", "100"))
		client, start := &http.Client{Transport: transport(web), Timeout: time.Minute}, time.Now()
		for i := range 20 {
			for _, url := range []string{fmt.Sprint("http://example.com/", i), fmt.Sprint("http://example.com/private/", i), "http://silent.example/"} {
				resp, err := client.Get(url)
				if assert.NoError(t, err) {
					resp.Body.Close()
				}
			}
			time.Sleep(time.Second)
		}
		took = time.Since(start)
		time.Sleep(2 * time.Minute) // so that all is told
		return took, web.Log()
	}
	synctest.Test(t, func(t *testing.T) {
		var told reports
		took, log := crawl(t, func(web *origintest.Server) http.RoundTripper {
			transport := conduct.NewTransport(t, web)
			transport.Pace.Concurrency = 1
			transport.Policy = polite.Policy{DryRun: told.add, Timeout: 30 * time.Second}
			return transport
		})
		synctest.Wait()
		assert.Less(t, took, 21*time.Second)
		assert.Len(t, log.At("example.com").Pages(), 40)
		assert.Len(t, log.At("silent.example").Pages(), 20)
		assert.Len(t, log.At("example.com").Robots(), 1)
		kinds := make(map[error]int)
		for _, err := range told.told {
			for _, kind := range []error{polite.ErrDisallowed, polite.ErrNoRules, polite.ErrDelayed} {
				if errors.Is(err, kind) {
					kinds[kind]++
				}
			}
		}
		assert.Equal(t, map[error]int{polite.ErrDisallowed: 20, polite.ErrNoRules: 20, polite.ErrDelayed: 19}, kinds)
		for i, wait := range told.waits() {
			if turn := i + 1; turn > 6 { // those that came before robots.txt are told in any order
				assert.Equal(t, time.Duration(5+9*turn)*time.Second, wait.Round(time.Second))
			}
		}
	})
}

// What is told agrees with what would be done: by rules for a query, in a break, and where a site asks for
// too long a delay.
func TestDryRunTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text("user-agent: *\ndisallow: /*?private\ncrawl-delay: 10\n"))
		web.Page("example.com", "/busy", origintest.Status(429, "Retry-After", "100"))
		tells := func(pace polite.Pace, targets ...string) []error {
			var told reports
			transport := conduct.NewTransport(t, web)
			transport.Pace, transport.Policy.DryRun = pace, told.add
			for _, target := range targets {
				_, err := conduct.Get(conduct.Client(transport), "http://example.com"+target)
				assert.NoError(t, err)
			}
			return told.told
		}
		told := tells(polite.Pace{}, "/page?private", "/page?public", "/page?private")
		if assert.Len(t, told, 2) {
			assert.ErrorIs(t, told[0], polite.ErrDisallowed)
			assert.ErrorIs(t, told[1], polite.ErrDisallowed)
		}
		assert.Equal(t, []time.Duration{100 * time.Second, 110 * time.Second}, (&reports{told: tells(polite.Pace{}, "/busy", "/1", "/2")}).waits())
		told = tells(polite.Pace{MaxDelay: time.Second, RefuseLonger: true}, "/1")
		if assert.Len(t, told, 1) {
			late, _ := errors.AsType[*polite.DelayError](told[0])
			assert.Equal(t, polite.CauseCrawlDelay, late.Cause)
		}
	})
}

// A dry run changes nothing for a Transport that shares its Cache, and learns nothing from answers.
func TestDryRunTeachesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/busy", origintest.Status(429, "Retry-After", "100"))
		polites := conduct.NewTransport(t, web)
		polites.Cache = new(polite.Cache)
		dry := conduct.NewTransport(t, web)
		dry.Cache = polites.Cache
		var told reports
		dry.Policy.DryRun = told.add
		start := time.Now()
		for _, url := range []string{"http://example.com/busy", "http://example.com/1"} {
			_, err := conduct.Get(&http.Client{Transport: dry}, url)
			assert.NoError(t, err)
		}
		assert.Equal(t, []time.Duration{100 * time.Second}, told.waits())
		web.Page("example.com", "/reset", origintest.Reset)
		_, err := conduct.Get(&http.Client{Transport: dry}, "http://example.com/reset")
		assert.Error(t, err, "that of Base")
		_, err = conduct.Get(&http.Client{Transport: polites}, "http://example.com/2")
		assert.NoError(t, err)
		assert.Less(t, time.Since(start), time.Second)
	})
}

// A dry run holds up no request, however many wait for a robots.txt that does not come. What is not judged is counted.
func TestDryRunIsNeverHeldUp(t *testing.T) {
	const most = 1000 // are judged later
	for _, sites := range []int{1, 100} {
		t.Run(fmt.Sprint(sites), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				var told reports
				transport := conduct.NewTransport(t, web)
				transport.Cache = new(polite.Cache)
				transport.Policy = polite.Policy{DryRun: told.add, Timeout: 30 * time.Second}
				client := &http.Client{Transport: transport}
				get := func(host string) {
					start := time.Now()
					_, err := conduct.Get(client, "http://"+host+"/")
					assert.NoError(t, err)
					assert.LessOrEqual(t, time.Since(start), 100*time.Millisecond)
				}
				for i := range sites {
					web.Robots(fmt.Sprint(i, ".example"), origintest.Hang)
				}
				for i := range most {
					get(fmt.Sprint(i%sites, ".example"))
				}
				get("0.example")
				get("healthy.example")
				stats := transport.Cache.Stats().DryRun
				assert.EqualValues(t, 2, stats.NotJudged)
				time.Sleep(2 * time.Minute)
				get("healthy.example")
				synctest.Wait()
				stats = transport.Cache.Stats().DryRun
				assert.EqualValues(t, 2, stats.NotJudged)
				assert.EqualValues(t, most+1, stats.Judged)
				assert.EqualValues(t, map[polite.Reason]uint64{polite.ReasonUnreachable: most}, stats.Refused)
				assert.Len(t, told.told, most)
				assert.Len(t, web.Log().Pages(), most+3)
			})
		})
	}
}

// A robots.txt that is out of date holds up no request of a dry run, either.
func TestDryRunWithAnOldRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text(conduct.Rules), origintest.Hang)
		var told reports
		transport := conduct.NewTransport(t, web)
		transport.Policy = polite.Policy{DryRun: told.add, Timeout: 30 * time.Second}
		client := &http.Client{Transport: transport}
		for range 2 {
			start := time.Now()
			_, err := conduct.Get(client, "http://example.com/private")
			assert.NoError(t, err)
			assert.LessOrEqual(t, time.Since(start), 100*time.Millisecond)
			time.Sleep(48 * time.Hour)
		}
		synctest.Wait()
		assert.Len(t, web.Log().Robots(), 2)
		assert.Len(t, told.told, 2)
	})
}

// With CloseIdleConnections a dry run ends: it waits for no robots.txt any more.
func TestDryRunEnds(t *testing.T) {
	for _, stored := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("silent.example", origintest.Hang)
			transport := conduct.NewTransport(t, web)
			transport.Cache = new(polite.Cache)
			if stored {
				transport.Cache.Store = new(memstore.Store)
			}
			transport.Policy = polite.Policy{DryRun: func(*http.Request, error) {}, Timeout: 30 * time.Second}
			for range 2 { // it can be used again
				_, err := conduct.Get(&http.Client{Transport: transport}, "http://silent.example/")
				assert.NoError(t, err)
				transport.CloseIdleConnections()
			}
			synctest.Wait()
			assert.EqualValues(t, 2, transport.Cache.Stats().DryRun.NotJudged)
			// The bubble ends here, without time for the Timeout.
		})
	}
}

// A dry run sums up what would have become of the requests, and its reports do not say that they were not sent.
func TestDryRunInNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text(conduct.Rules+"crawl-delay: 10\n"))
		web.Robots("down.example", origintest.Status(500))
		web.Robots("slow.example", origintest.Text("user-agent: *\ncrawl-delay: 60\n"))
		web.Robots("quick.example", origintest.Text("user-agent: *\ncrawl-delay: 5\n"))
		var told reports
		var log conduct.Log
		transport := conduct.NewTransport(t, web)
		transport.Cache = new(polite.Cache)
		transport.Logger = log.Logger(slog.LevelInfo)
		transport.Pace.RefuseLonger = true
		transport.Policy.DryRun = func(req *http.Request, refusal error) {
			assert.Equal(t, "GET", req.Method)
			told.add(req, refusal)
		}
		client := &http.Client{Transport: transport}
		for _, url := range []string{"http://example.com/1", "http://example.com/2", "http://example.com/3", "http://example.com/private", "http://down.example/", "http://slow.example/", "http://quick.example/1", "http://quick.example/2"} {
			_, err := conduct.Get(client, url)
			require.NoError(t, err)
		}
		stats := transport.Cache.Stats().DryRun
		assert.EqualValues(t, 8, stats.Judged)
		assert.Zero(t, stats.NotJudged)
		assert.Equal(t, map[polite.Reason]uint64{polite.ReasonRule: 1, polite.ReasonUnreachable: 1, polite.ReasonDelayed: 1}, stats.Refused)
		assert.EqualValues(t, 3, stats.Delayed)
		assert.Equal(t, 35*time.Second, stats.Wait.Round(time.Second))
		assert.Equal(t, 20*time.Second, stats.LongestWait.Round(time.Second))
		require.Len(t, told.told, 6)
		for _, err := range told.told {
			assert.NotContains(t, err.Error(), "was not sent")
		}
		assert.Equal(t, 4, strings.Count(log.String(), "asked for robots.txt"))
		assert.NotContains(t, log.String(), "refused a request", "what is sent is not")
		assert.ErrorContains(t, told.told[0], "would have waited for its turn for 10s")
		assert.ErrorContains(t, told.told[3], "would not have been sent: http://down.example/robots.txt answered 500")
		assert.ErrorContains(t, told.told[4], "would not have been sent: the site asks for a delay of 1m0s")
		at, err := url.Parse("http://example.com/")
		require.NoError(t, err)
		_, err = transport.Check(t.Context(), at)
		require.NoError(t, err)
		assert.EqualValues(t, 8, transport.Cache.Stats().DryRun.Judged, "no request")
	})
}

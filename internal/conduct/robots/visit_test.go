package robots

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A robots.txt that redirects to a host where many requests wait is fetched at once.
func TestRedirectToBusyHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Redirect("http://www.example.com/robots.txt"))
		web.Robots("www.example.com", origintest.Text("user-agent: *\ncrawl-delay: 1\n"))
		tr := conduct.NewTransport(t, web)
		tr.Policy.Timeout = 30 * time.Second // the default
		client := &http.Client{Transport: tr}
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() { conduct.Get(client, fmt.Sprint("http://www.example.com/", i)) })
			synctest.Wait()
		}
		_, err := conduct.Get(client, "http://example.com/page")
		assert.NoError(t, err, "robots.txt of example.com is one redirect away, all is well there")
		wg.Wait()
	})
}

// Those who wait do not keep robots.txt from being asked for, also if a Key joins its
// host with theirs.
func TestRedirectWithinKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Redirect("http://www.example.com/robots.txt"))
		web.Robots("www.example.com", conduct.Changing(conduct.Caching("", 300), time.Hour, conduct.Caching("user-agent: *\ndisallow: /\n", 300)))
		tr := conduct.NewTransport(t, web)
		tr.Policy.Timeout = 30 * time.Second
		tr.Pace.MinDelay = 10 * time.Second
		tr.Pace.Key = func(req *http.Request) string { return "example.com" }
		client := &http.Client{Transport: tr}
		start := time.Now()
		errs := conduct.Queued(client, 2000) // 5.5 hours
		allowed := 0
		for _, err := range errs {
			if err == nil {
				allowed++
			}
		}
		pages := web.Log().Pages()
		t.Log(len(pages), "arrived, the last", pages[len(pages)-1].Time.Sub(start), "robots.txt:", len(web.Log().At("www.example.com").Robots()), errs[1999])
		assert.Less(t, pages[len(pages)-1].Time.Sub(start), time.Hour+10*time.Minute, "disallowed since an hour, max-age of 5 minutes")
	})
}

// A site whose robots.txt is led to a host that has a break has no rules to go by; it is
// not a turn that comes too late.
func TestRefusalOfARedirectedFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Changing(conduct.Caching("", 300), time.Minute, origintest.Redirect("http://busy.example.com/robots.txt")))
		web.Robots("other.example.com", origintest.Text(strings.Repeat("# long\n", 1000)))
		web.Page("busy.example.com", "/busy", origintest.Status(429, "Retry-After", "86000"))
		tr := conduct.NewTransport(t, web)
		tr.Cache = &polite.Cache{MaxBytes: 1}
		tr.Pace.MinDelay = 200 * time.Second
		client := &http.Client{Transport: tr}
		conduct.Get(client, "http://busy.example.com/busy")
		var wg sync.WaitGroup
		errs := make([]error, 3)
		for i := range 3 {
			wg.Go(func() { _, errs[i] = conduct.Get(client, fmt.Sprint("http://example.com/", i)) })
			synctest.Wait()
		}
		conduct.Get(client, "http://other.example.com/") // the Cache forgets example.com
		wg.Wait()
		err := errs[2]
		t.Log(err)
		assert.ErrorIs(t, err, polite.ErrNoRules)
		assert.False(t, errors.Is(err, polite.ErrDelayed))
	})
}

// A fetch that is led to a host does not wait for the pages of it, nor for its only slot.
func TestVisitWaitsForSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("b.example.com", origintest.Redirect("http://a.example.com/robots.txt"))
		tr := conduct.NewTransport(t, web)
		tr.Policy.Timeout = 30 * time.Second
		tr.Pace.Concurrency = 1
		client := &http.Client{Transport: tr}
		resp, err := client.Get("http://a.example.com/links")
		require.NoError(t, err)
		defer resp.Body.Close()
		start := time.Now()
		_, err = conduct.Get(client, "http://b.example.com/page") // while the list of links is read
		t.Log(time.Since(start), err)
		assert.NoError(t, err)
	})
}

// A fetch that waits for its turn at another host ends by its own timeout, and does not arrive there.
func TestVisitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("busy.example", "/rules", origintest.Hang)
		transport := conduct.NewTransport(t, web)
		transport.Cache, transport.Policy.Timeout = new(polite.Cache), time.Hour
		var waiting sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		visit := func(host string, transport *polite.Transport) error {
			web.Robots(host, origintest.Redirect("http://busy.example/rules"))
			return conduct.Visit(ctx, conduct.Client(transport), "http://"+host+"/")
		}
		for _, host := range []string{"a.example", "b.example"} {
			waiting.Go(func() { visit(host, transport) })
		}
		synctest.Wait()
		brief := conduct.NewTransport(t, web)
		brief.Cache, brief.Policy.Timeout = transport.Cache, 5*time.Second
		began := time.Now()
		assert.ErrorIs(t, visit("c.example", brief), polite.ErrNoRules)
		assert.LessOrEqual(t, time.Since(began), 5*time.Second)
		cancel()
		waiting.Wait()
		time.Sleep(time.Minute)
		assert.Len(t, web.Log().At("busy.example"), 2)
	})
}

// A negative MaxQueue lets no request wait, but each robots.txt.
func TestVisitWithoutQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("www.example.com", origintest.Delay(10*time.Millisecond, origintest.Text("")))
		tr := conduct.NewTransport(t, web)
		tr.Policy.Timeout = 30 * time.Second
		tr.Pace.MaxQueue = polite.NoQueue
		client := &http.Client{Transport: tr}
		var wg sync.WaitGroup
		failed := 0
		var mu sync.Mutex
		for i := range 10 {
			host := fmt.Sprintf("%d.example.com", i)
			web.Robots(host, origintest.Redirect("http://www.example.com/robots.txt"))
			wg.Go(func() {
				if _, err := conduct.Get(client, "http://"+host+"/"); err != nil {
					mu.Lock()
					failed++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		assert.Zero(t, failed, "of 10 sites")
	})
}

// A short break of the lane that a new origin shares is waited for; the rules are asked
// for when it is over.
func TestNewOriginInAShortBreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("a.example.com", "/busy", origintest.Status(429, "Retry-After", "5"))
		tr := conduct.NewTransport(t, web)
		tr.Policy.Timeout = 30 * time.Second
		tr.Pace.Key = func(req *http.Request) string { return "example.com" }
		client := &http.Client{Transport: tr}
		_, err := conduct.Get(client, "http://a.example.com/busy")
		require.NoError(t, err)
		start := time.Now()
		_, err = conduct.Get(client, "http://b.example.com/page")
		require.NoError(t, err)
		assert.Equal(t, 5*time.Second, time.Since(start))
		assert.Equal(t, 5*time.Second, web.Log().At("b.example.com").Robots()[0].Time.Sub(start))
	})
}

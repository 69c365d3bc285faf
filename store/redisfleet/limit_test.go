package redisfleet_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/stretchr/testify/assert"
)

// A limited is a site that refuses each page that comes less than a gap after the last one. It
// tells nobody when to come back.
type limited struct {
	gap time.Duration

	mu        sync.Mutex
	last      time.Time
	good, bad int
}

func (l *limited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.last) < l.gap {
		l.bad++
		w.WriteHeader(http.StatusServiceUnavailable)
	} else {
		l.good, l.last = l.good+1, now
	}
}

// served returns how many pages l has served and refused so far.
func (l *limited) served() (good, bad int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.good, l.bad
}

// A fleet finds the limit of a site also with real sockets and a real server, where nothing takes
// the same time twice. The bounds are wide: a fleet that does not find the limit together gets less
// than an eighth of it, or is refused as often as not.
func TestFleetFindsALimitOverSockets(t *testing.T) {
	long.Only(t)
	const processes, workers, rate = 3, 16, 20
	const crawl = 2 * time.Minute
	s := startServer(t)
	site := &limited{gap: time.Second / rate}
	web := httptest.NewServer(site)
	defer web.Close()
	ctx, cancel := context.WithTimeout(t.Context(), crawl)
	defer cancel()
	var all sync.WaitGroup
	for p := range processes {
		fleet := open(t, s.url(), redisfleet.Options{})
		transport := &polite.Transport{UserAgent: "ExampleBot/1.0", Cache: &polite.Cache{Store: fleet}}
		transport.Trace.Limited = func(l polite.Limit) { t.Logf("process %d: %v", p, l) }
		for w := range workers {
			all.Go(func() { fetchAll(ctx, transport, fmt.Sprintf("%s/%d/%d", web.URL, p, w)) })
		}
	}
	all.Wait()
	good, bad := site.served()
	allowed := int(rate * crawl.Seconds())
	t.Logf("%d of %d pages; %d refused", good, allowed, bad)
	assert.GreaterOrEqual(t, good, allowed/5)
	assert.LessOrEqual(t, bad, allowed/20)
}

// fetchAll fetches pages below url until ctx ends.
func fetchAll(ctx context.Context, transport *polite.Transport, url string) {
	client := &http.Client{Transport: transport}
	for n := 0; ctx.Err() == nil; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprint(url, "/", n), nil)
		if err != nil {
			return
		}
		resp, err := client.Do(req)
		if err != nil {
			continue // ctx has ended, or ends before the turn comes
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

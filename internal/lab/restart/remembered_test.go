package restart_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var remembered = flag.Int("remembered", 10_000, "origins in the file of BenchmarkRemembered")

// A still is a Base without sockets. All its hosts have one of the files.
type still struct {
	files [][]byte
	asked atomic.Int64 // for robots.txt
}

var page = &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}

func (s *still) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path != "/robots.txt" {
		return page, nil
	}
	s.asked.Add(1)
	number, _ := strconv.Atoi(strings.TrimSuffix(req.URL.Host[1:], ".example"))
	body := s.files[number%len(s.files)]
	return &http.Response{
		StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
		Header: http.Header{"Etag": {fmt.Sprintf(`"%x-%x"`, number, len(body))}, "Last-Modified": {"Fri, 31 Dec 1999 23:59:59 GMT"}},
	}, nil
}

// transport returns a transport that knows only what store knows.
func (s *still) transport(store store.Store) *polite.Transport {
	return &polite.Transport{UserAgent: "RestartBot/1.0", Base: s, Cache: &polite.Cache{Store: store}}
}

func pageOf(host int) *url.URL {
	return &url.URL{Scheme: "https", Host: nameOf(host), Path: "/a/page.html"}
}

// BenchmarkRemembered measures the size of a file with many origins, and the cost of its
// use:
//
//	open  to open the file
//	cold  a decision on an origin that is not in memory
//	warm  a request to an origin that is, with a store and without
func BenchmarkRemembered(b *testing.B) {
	corpus.Dir(b)
	s, path := &still{files: corpus.Bodies(b)}, filepath.Join(b.TempDir(), "remembered")
	learned := s.fill(b, path)
	b.Run("open", func(b *testing.B) {
		s.benchmarkOpen(b, path)
		b.ReportMetric(float64(learned.Microseconds())/float64(*remembered), "µs-learned/origin")
	})
	asked := s.asked.Load()
	b.Run("cold", func(b *testing.B) { s.benchmarkCold(b, path) })
	assert.Equal(b, asked, s.asked.Load(), "no site is asked")
	b.Run("warm", func(b *testing.B) { s.benchmarkWarm(b, path) })
}

// fill lets a crawler learn of all origins. It returns how long that took.
func (s *still) fill(b *testing.B, path string) time.Duration {
	store, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(b, err)
	transport, began := s.transport(store), time.Now()
	var next atomic.Int64
	var crowd sync.WaitGroup
	for range 8 {
		crowd.Go(func() {
			for host := int(next.Add(1)) - 1; host < *remembered; host = int(next.Add(1)) - 1 {
				_, err := transport.Check(b.Context(), pageOf(host))
				assert.NoError(b, err)
			}
		})
	}
	crowd.Wait()
	require.NoError(b, store.Close())
	return time.Since(began)
}

func (s *still) benchmarkOpen(b *testing.B, path string) {
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		store, err := boltstore.Open(path, boltstore.Options{})
		took = append(took, time.Since(began))
		require.NoError(b, err)
		require.NoError(b, store.Close())
	}
	info, err := os.Stat(path)
	require.NoError(b, err)
	b.ReportMetric(0, "ns/op") // with closing it
	b.ReportMetric(percentile(took, 0.5), "µs-p50")
	b.ReportMetric(percentile(took, 1), "µs-max")
	b.ReportMetric(float64(info.Size())/float64(*remembered), "B/origin")
}

func (s *still) benchmarkCold(b *testing.B, path string) {
	store, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(b, err)
	defer store.Close()
	var took []time.Duration
	var transport *polite.Transport
	order, before := rand.Perm(*remembered), heap()
	for b.Loop() {
		at := len(took) % len(order)
		if at == 0 { // all are in memory, if they have room
			transport = s.transport(store)
		}
		u := pageOf(order[at])
		began := time.Now()
		d, err := transport.Check(b.Context(), u)
		took = append(took, time.Since(began))
		if err != nil || d.Status != http.StatusOK {
			b.Fatal(d, err)
		}
	}
	after := heap() - before - int64(8*cap(took))
	stats := transport.Cache.Stats()
	assert.LessOrEqual(b, stats.Bytes, int64(64<<20))
	b.ReportMetric(percentile(took, 0.5), "µs-p50")
	b.ReportMetric(percentile(took, 0.99), "µs-p99")
	b.ReportMetric(float64(stats.Bytes)/1e6, "MB-counted")
	b.ReportMetric(float64(after)/1e6, "MB-heap")
	b.ReportMetric(float64(stats.Origins), "origins-known")
}

func (s *still) benchmarkWarm(b *testing.B, path string) {
	store, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(b, err)
	defer store.Close()
	alone := s.transport(nil)
	for _, c := range []struct {
		name      string
		transport *polite.Transport
	}{{"with a store", s.transport(store)}, {"without", alone}} {
		b.Run(c.name, func(b *testing.B) {
			req := request(0)
			warm(b, c.transport, req)
			b.ReportAllocs()
			for b.Loop() {
				c.transport.RoundTrip(req)
			}
		})
	}
}

// percentile returns, in microseconds, the longest time among a part of all.
func percentile(took []time.Duration, part float64) float64 {
	slices.Sort(took)
	return float64(took[int(part*float64(len(took)-1))].Nanoseconds()) / 1e3
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func request(host int) *http.Request {
	return &http.Request{Method: http.MethodGet, URL: pageOf(host), Header: http.Header{"User-Agent": {"RestartBot/1.0"}}}
}

// warm repeats a request until it needs nothing from the store or the site.
func warm(t testing.TB, transport *polite.Transport, req *http.Request) {
	for range 2 {
		_, err := transport.RoundTrip(req)
		require.NoError(t, err)
		time.Sleep(100 * time.Millisecond) // it listens for breaks
	}
}

// A counted store counts its calls.
type counted struct {
	*boltstore.Store
	claims, puts, takes, dones, holds atomic.Int64
}

func (c *counted) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	c.claims.Add(1)
	return c.Store.Claim(ctx, key, seen, lease)
}

func (c *counted) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	c.puts.Add(1)
	return c.Store.Put(ctx, key, token, record, keep)
}

func (c *counted) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	c.takes.Add(1)
	return c.Store.Take(ctx, lane, ask)
}

func (c *counted) Done(ctx context.Context, lane, token string, unused bool) error {
	c.dones.Add(1)
	return c.Store.Done(ctx, lane, token, unused)
}

func (c *counted) Break(ctx context.Context, lane string, wait time.Duration) error {
	c.holds.Add(1)
	return c.Store.Break(ctx, lane, wait)
}

func (c *counted) calls() int64 {
	return c.claims.Load() + c.puts.Load() + c.takes.Load() + c.dones.Load() + c.holds.Load()
}

// If a site is in memory and has no crawl-delay, a request costs the same with and
// without a store: it allocates nothing, and does not call the store.
func TestWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := boltstore.Open(filepath.Join(t.TempDir(), "remembered"), boltstore.Options{})
		require.NoError(t, err)
		defer store.Close()
		s, c := &still{files: [][]byte{[]byte("user-agent: *\ndisallow: /private\n")}}, &counted{Store: store}
		transport, req := s.transport(c), request(0)
		warm(t, transport, req)
		assert.EqualValues(t, 1, c.puts.Load())
		assert.Positive(t, c.takes.Load(), "before it listens for breaks")

		before := c.calls()
		assert.Zero(t, testing.AllocsPerRun(1000, func() {
			_, err := transport.RoundTrip(req)
			assert.NoError(t, err)
		}))
		assert.Equal(t, before, c.calls())
		assert.EqualValues(t, 1, s.asked.Load())
	})
}

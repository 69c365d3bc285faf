package soak

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

var soakTime = flag.Duration("soak", 0, "how long TestSoak takes")

// Sites that do all that sites may do, now this and then that, and clients that
// cancel, give up, forget bodies, share a cache or do not. Nothing arrives that
// should not, and in the end nothing is left. It works with sockets and by the clock of the
// machine, so it is run on request:
//
//	go test -race ./internal/lab/soak -run TestSoak -v -soak 5m
func TestSoak(t *testing.T) {
	if *soakTime == 0 {
		t.Skip("-soak asks for no time")
	}
	seed := long.Seed(t)
	t.Run("warm up", func(t *testing.T) { origintest.New(t) }) // the process keeps something of its first socket
	before := inUse()
	var caches []*polite.Cache
	t.Run("crawl", func(t *testing.T) { caches = soak(t, seed) }) // its end closes the web
	assert.EventuallyWithT(t, func(t *assert.CollectT) {
		now := inUse()
		assert.LessOrEqual(t, now.goroutines, before.goroutines+1, "the one more is that which counts")
		assert.LessOrEqual(t, now.files, before.files)
		assert.Less(t, now.heap-before.heap, int64(8<<20), "besides what the caches keep")
	}, 10*time.Second, 100*time.Millisecond)
	if t.Failed() {
		pprof.Lookup("goroutine").WriteTo(os.Stderr, 1) // what is left
	}
	for _, cache := range caches {
		assert.LessOrEqual(t, cache.Stats().Bytes, cache.MaxBytes)
	}
}

type resources struct {
	goroutines, files int
	heap              int64
}

func inUse() resources {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	files, _ := os.ReadDir("/proc/self/fd") // none on other systems
	return resources{runtime.NumGoroutine(), len(files), int64(stats.HeapAlloc)}
}

// A crawler is a client with habits of its own.
type crawler struct {
	*http.Client
	name  string
	gap   time.Duration // that it keeps
	slots int           // that it has for each site; 0 for any number
	base  *gauge
	left  sync.WaitGroup // bodies that are not closed yet
}

// soak lets clients loose on a web, and returns their caches.
func soak(t *testing.T, seed uint64) (caches []*polite.Cache) {
	w := newUnrulyWeb(t, seed)
	shared := &polite.Cache{MaxBytes: 32 << 10}
	crawlers := []*crawler{
		newCrawler(t, w, "alone", polite.Pace{}, &polite.Cache{MaxBytes: 32 << 10}),
		newCrawler(t, w, "shares", polite.Pace{}, shared),
		newCrawler(t, w, "shares-too", polite.Pace{}, shared),
		newCrawler(t, w, "slow", polite.Pace{MinDelay: 100 * time.Millisecond, Jitter: 0.5}, shared),
		newCrawler(t, w, "few", polite.Pace{Concurrency: 2, MaxWait: time.Second, MaxQueue: 5}, &polite.Cache{MaxBytes: 32 << 10, MaxFetches: 20}),
	}
	inspector := newInspector(crawlers)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var crowd sync.WaitGroup
	crowd.Go(func() { w.weather(ctx, rand.New(rand.NewPCG(seed, 1))) })
	crowd.Go(func() {
		defer cancel()
		inspector.watch(*soakTime, w.Server)
	})
	for i := range 40 {
		crowd.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(i+2)))
			for ctx.Err() == nil {
				c := crawlers[random.IntN(len(crawlers))]
				sites := len(w.hosts)
				if c.gap > 0 || c.slots > 0 {
					sites = 4 // at which there is a crowd
				}
				c.visit(ctx, random, w.anyPage(random, sites))
			}
		})
	}
	crowd.Wait()
	inspector.inspect(w.Take())
	inspector.report(t)
	for _, c := range crawlers {
		c.left.Wait()
		transport := c.Transport.(*polite.Transport)
		t.Logf("%-10s %+v", c.name, transport.Cache.Stats())
		caches = append(caches, transport.Cache)
		if c.slots > 0 {
			assert.LessOrEqual(t, c.base.most, c.slots, "requests of %q under way at a site", c.name)
		}
	}
	return caches
}

func newCrawler(t *testing.T, w *unrulyWeb, name string, pace polite.Pace, cache *polite.Cache) *crawler {
	base := &gauge{base: w.Transport(t), under: make(map[string]map[*http.Request]bool)}
	transport := &polite.Transport{
		UserAgent: "SoakBot/" + name, Agents: []string{"SoakBot"}, Base: base,
		Policy: polite.Policy{Timeout: time.Second}, Pace: pace, Cache: cache,
	}
	return &crawler{Client: &http.Client{Transport: transport}, name: name, gap: pace.MinDelay, slots: pace.Concurrency, base: base}
}

// visit makes one request and treats its response as clients do.
func (c *crawler) visit(ctx context.Context, random *rand.Rand, url string) {
	patience := time.Duration(1+random.IntN(1000)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, patience)
	if random.IntN(4) == 0 {
		var cancelNow context.CancelFunc
		ctx, cancelNow = context.WithCancel(ctx)
		defer time.AfterFunc(patience/2, cancelNow).Stop()
		defer cancelNow()
	}
	defer cancel()
	method, body := http.MethodGet, io.Reader(nil)
	switch random.IntN(5) {
	case 0:
		method = http.MethodHead
	case 1:
		method, body = http.MethodPost, strings.NewReader(strings.Repeat("x", random.IntN(10_000)))
	}
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		panic(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return
	}
	switch random.IntN(4) {
	case 0: // the body is left for a while
		c.left.Go(func() {
			<-time.After(patience)
			resp.Body.Close()
		})
	case 1:
		resp.Body.Close()
	default:
		io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
		resp.Body.Close()
		resp.Body.Close()
	}
}

// A gauge is a Base that counts the requests that are under way at each site:
// until there is nothing left to read of the response, or their context has ended.
type gauge struct {
	base  http.RoundTripper
	mu    sync.Mutex
	under map[string]map[*http.Request]bool
	most  int
}

func (g *gauge) RoundTrip(req *http.Request) (*http.Response, error) {
	if !isPage(req.URL.Path) {
		return g.base.RoundTrip(req)
	}
	done := g.begin(req)
	resp, err := g.base.RoundTrip(req)
	if err != nil {
		done()
		return resp, err
	}
	resp.Body = &gauged{resp.Body, done}
	return resp, nil
}

func (g *gauge) begin(req *http.Request) (done func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	site := req.URL.Scheme + "://" + req.URL.Host
	if g.under[site] == nil {
		g.under[site] = make(map[*http.Request]bool)
	}
	g.under[site][req] = true
	maps.DeleteFunc(g.under[site], func(req *http.Request, _ bool) bool { return req.Context().Err() != nil })
	g.most = max(g.most, len(g.under[site]))
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.under[site], req)
	}
}

type gauged struct {
	io.ReadCloser
	done func()
}

func (b *gauged) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.done()
	}
	return n, err
}

func (b *gauged) Close() error {
	b.done()
	return b.ReadCloser.Close()
}

// An inspector reads the log of the web.
type inspector struct {
	crawlers map[string]*crawler // by User-Agent
	buckets  map[string]*bucket  // by crawler and site
	arrived  int
	robots   int
	broken   map[string]string // what went wrong, and the first example
}

// A bucket is how far the requests of a crawler to a site are ahead of its gap.
type bucket struct {
	last  time.Time
	level time.Duration
}

func newInspector(crawlers []*crawler) *inspector {
	in := &inspector{crawlers: make(map[string]*crawler), buckets: make(map[string]*bucket), broken: make(map[string]string)}
	for _, c := range crawlers {
		in.crawlers["SoakBot/"+c.name] = c
	}
	return in
}

// watch inspects for a while, and on a busy machine until there was something to inspect.
func (in *inspector) watch(d time.Duration, web *origintest.Server) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(d); time.Now().Before(end) || in.arrived == 0 || in.robots == 0; <-tick.C {
		in.inspect(web.Take())
	}
}

func (in *inspector) inspect(log origintest.Log) {
	for _, a := range log {
		if !isPage(a.URI) {
			in.robots++
			continue
		}
		in.arrived++
		if strings.HasPrefix(a.Host, "closed-") && strings.HasPrefix(a.URI, "/private") {
			in.broken["disallowed"] = fmt.Sprint(a.Host, a.URI)
		}
		c := in.crawlers[a.Header.Get("User-Agent")]
		if c == nil {
			in.broken["in no one's name"] = a.Header.Get("User-Agent")
		} else if c.gap > 0 {
			in.space(c, a)
		}
	}
}

// slack is how much later than another a request may be on the way.
const slack = 500 * time.Millisecond

func (in *inspector) space(c *crawler, a origintest.Arrival) {
	key := fmt.Sprint(c.name, " ", a.Host, " ", a.TLS)
	b := in.buckets[key]
	if b == nil {
		b = new(bucket)
		in.buckets[key] = b
	}
	if !b.last.IsZero() {
		b.level = max(b.level-a.Time.Sub(b.last), 0)
	}
	if b.level > slack {
		in.broken["too soon"] = fmt.Sprint(key, " by ", b.level)
	}
	b.level += c.gap
	b.last = a.Time
}

func (in *inspector) report(t *testing.T) {
	t.Logf("%d pages and %d requests for robots.txt have arrived", in.arrived, in.robots)
	assert.Empty(t, in.broken)
	assert.Positive(t, in.arrived)
	assert.Positive(t, in.robots)
}

// isPage reports whether a path is what clients want, not what leads to rules.
func isPage(path string) bool {
	return strings.HasPrefix(path, "/page") || strings.HasPrefix(path, "/private")
}

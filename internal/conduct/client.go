package conduct

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/queue"
	"github.com/go-polite/polite/robots/usage"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/require"
)

// The tests allocate much and keep little: collected less often, they take two thirds of the time.
var _ = debug.SetGCPercent(400)

// UserAgent is how the transports of the tests call themselves.
const UserAgent = "ExampleBot/1.0 (+https://example.com/bot)"

// Rules disallow all that begins with /private.
const Rules = "user-agent: *\ndisallow: /private\n"

// NewTransport returns a transport to web that waits a second for robots.txt; a minute on
// sockets, as a second may pass on a busy machine.
func NewTransport(t testing.TB, web *origintest.Server) *polite.Transport {
	timeout := time.Second
	if web.OnSockets() {
		timeout = time.Minute
	}
	return &polite.Transport{
		UserAgent: UserAgent, Base: web.Transport(t), Policy: polite.Policy{Timeout: timeout},
		Pace: polite.Pace{Concurrency: polite.NoLimit}, // many requests at once show more; ceiling_test.go tries the ceiling
	}
}

// Get fetches url and returns the status.
func Get(client *http.Client, url string) (int, error) {
	resp, err := client.Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// Body counts how often it is closed.
type Body struct {
	io.Reader
	Closed atomic.Int32
}

// NewBody returns the body of a form.
func NewBody() *Body { return &Body{Reader: strings.NewReader("a=b")} }

func (b *Body) Close() error { b.Closed.Add(1); return nil }

// Raise makes most n if it is less, whoever else does.
func Raise(most *atomic.Int64, n int64) {
	for before := most.Load(); before < n && !most.CompareAndSwap(before, n); before = most.Load() {
	}
}

// OnBothNets runs test on sockets, and in memory with a clock of its own.
func OnBothNets(t *testing.T, test func(*testing.T, *origintest.Server)) {
	t.Run("sockets", func(t *testing.T) { test(t, origintest.New(t)) })
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, origintest.NewInMemory(t)) })
	})
}

// Visit asks for a page, and closes it.
func Visit(ctx context.Context, c *http.Client, url string) error {
	return visit(ctx, c, url, func(io.Reader) error { return nil })
}

// Read reads a page to its end, so that its connection is used again.
func Read(ctx context.Context, c *http.Client, url string) error {
	return visit(ctx, c, url, func(body io.Reader) error {
		_, err := io.Copy(io.Discard, body)
		return err
	})
}

func visit(ctx context.Context, c *http.Client, url string, read func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	return errors.Join(read(resp.Body), resp.Body.Close())
}

// Know lets tr find out the rules of host, so that the requests that follow need not wait for
// them.
func Know(t *testing.T, tr *polite.Transport, host string) {
	_, err := tr.Check(t.Context(), &url.URL{Scheme: "http", Host: host, Path: "/"})
	require.NoError(t, err)
}

// Sharing returns the transport of a process that shares turns with others.
func Sharing(t testing.TB, web *origintest.Server, turns store.Turns) *polite.Transport {
	transport := NewTransport(t, web)
	transport.Cache = &polite.Cache{Turns: turns}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// Client returns a client that uses transport.
func Client(transport *polite.Transport) *http.Client { return &http.Client{Transport: transport} }

// Queued sends n requests for http://example.com/0 to /n-1, in this order and all
// at once, and returns their errors when all have ended.
func Queued(client *http.Client, n int) []error {
	errs := make([]error, n)
	var crowd sync.WaitGroup
	for i := range n {
		crowd.Go(func() { _, errs[i] = Get(client, fmt.Sprint("http://example.com/", i)) })
		synctest.Wait()
	}
	crowd.Wait()
	return errs
}

// Changing answers as before until after has passed, and then as later.
func Changing(before http.HandlerFunc, after time.Duration, later http.HandlerFunc) http.HandlerFunc {
	start := time.Now()
	return func(w http.ResponseWriter, r *http.Request) {
		if time.Since(start) < after {
			before(w, r)
		} else {
			later(w, r)
		}
	}
}

// SlowToConnect makes a base take up to most for each connection, and use each
// once.
func SlowToConnect(base *http.Transport, most time.Duration, random *rand.Rand) *http.Transport {
	var mu sync.Mutex
	dial := base.DialContext
	base.DisableKeepAlives = true
	base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		mu.Lock()
		wait := time.Duration(random.Int64N(int64(most)))
		mu.Unlock()
		origintest.Wait(context.WithoutCancel(ctx), wait)
		return dial(ctx, network, address)
	}
	return base
}

// MustParse returns a URL, or ends the test.
func MustParse(t *testing.T, rawURL string) *url.URL {
	u, err := url.Parse(rawURL)
	require.NoError(t, err, rawURL)
	return u
}

// Snapshot returns a copy of all that can be changed of a request.
func Snapshot(req *http.Request) []any {
	shallow := *req
	shallow.GetBody = nil // functions cannot be compared
	all := []any{shallow, req.GetBody == nil, req.Header.Clone(), req.Trailer.Clone(), slices.Clone(req.TransferEncoding)}
	if req.URL != nil {
		all = append(all, *req.URL)
	}
	return all
}

// ErrGivenUp is why a test gives a request up.
var ErrGivenUp = errors.New("given up")

// Signals are rules that say what the pages of a site may be used for.
const Signals = `user-agent: *
content-signal: search=yes, ai-train=no
content-usage: /open/ train-ai=y
content-usage: /shut/ search=n
disallow: /private
`

// Training returns a client that wants pages to train a model.
func Training(t testing.TB, web *origintest.Server, purposes ...usage.Use) *http.Client {
	transport := NewTransport(t, web)
	policy := &transport.Policy
	policy.Purposes = purposes
	return Client(transport)
}

// Heap returns how many octets are in use on the heap.
func Heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// Crawl fetches pages by a queue with so many workers, and calls done for each. A page that is
// refused for now comes back for so long.
func Crawl(t testing.TB, client *http.Client, workers int, patience time.Duration, pages []string, done func(page string, resp *http.Response, err error)) {
	q := queue.Queue[struct{}]{Client: client, Options: polite.Options{MaxWait: patience}}
	for _, page := range pages {
		require.NoError(t, q.Push(page, struct{}{}))
	}
	require.NoError(t, q.Run(t.Context(), workers, func(_ context.Context, item queue.Item[struct{}], resp *http.Response, err error) error {
		done(item.URL, resp, err)
		return nil
	}))
}

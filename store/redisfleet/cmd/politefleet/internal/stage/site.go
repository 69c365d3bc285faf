package stage

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/timeline"
	"github.com/go-polite/polite/store/redisfleet/internal/stamps"
)

// processHeader tells the site which process of the fleet sends a request. A real crawler
// tells no site.
const processHeader = "Demo-Process"

// connKey is the key of the connection in the context of a request.
type connKey struct{}

// A site is on a port of this machine, and logs its requests.
type site struct {
	URL    string
	robots string
	wait   time.Duration // what it asks for once
	server *http.Server
	served sync.WaitGroup

	mu        sync.Mutex
	begun     time.Time // when the log began, by the time of day as all arrivals
	breakFrom time.Time // the next page after this is told to wait; zero: no more
	arrivals  []timeline.Arrival
	breaks    []timeline.Span
}

// openSite opens a site that asks for a gap. Close it.
func openSite(ctx context.Context, gap, wait time.Duration) (*site, error) {
	listener, err := stamps.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &site{
		URL:    "http://" + listener.Addr().String(),
		robots: fmt.Sprintf("user-agent: *\ncrawl-delay: %g\n", gap.Seconds()),
		wait:   wait,
	}
	s.server = &http.Server{
		Handler: http.HandlerFunc(s.answer),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
	s.served.Go(func() { s.server.Serve(listener) })
	return s, nil
}

func (s *site) Close() {
	s.server.Close()
	s.served.Wait()
}

// begin begins the log. The first page after a time is told to wait.
func (s *site) begin(now time.Time, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = now.Round(0)
	s.breakFrom = s.begun.Add(wait)
}

func (s *site) answer(w http.ResponseWriter, req *http.Request) {
	at := req.Context().Value(connKey{}).(*stamps.Conn).Arrived()
	process, err := strconv.Atoi(req.Header.Get(processHeader))
	if err != nil || process < 0 { // anyone on this machine may ask
		http.NotFound(w, req)
		return
	}
	isRobots := req.URL.Path == "/robots.txt"
	status := http.StatusOK
	if !isRobots && s.mayBreak(at) {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", strconv.Itoa(int(s.wait.Seconds())))
	}
	w.WriteHeader(status)
	if isRobots {
		fmt.Fprint(w, s.robots)
	}
	s.note(at, timeline.Arrival{Process: process, Robots: isRobots, Status: status})
}

// mayBreak reports whether a page is to be told to wait: one is.
func (s *site) mayBreak(at time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.breakFrom.IsZero() || at.Before(s.breakFrom) {
		return false
	}
	s.breakFrom = time.Time{}
	return true
}

// note notes a request. A break begins when its answer is written.
func (s *site) note(at time.Time, a timeline.Arrival) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a.At = at.Sub(s.begun)
	s.arrivals = append(s.arrivals, a)
	if a.Status == http.StatusServiceUnavailable {
		from := time.Since(s.begun)
		s.breaks = append(s.breaks, timeline.Span{Process: a.Process, From: from, To: from + s.wait})
	}
}

// log returns what has arrived, in its order.
func (s *site) log() (arrivals []timeline.Arrival, breaks []timeline.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(s.arrivals, func(a, b timeline.Arrival) int { return cmp.Compare(a.At, b.At) })
	return slices.Clone(s.arrivals), slices.Clone(s.breaks)
}

package stage

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/timeline"
	"github.com/go-polite/polite/store/redisfleet/internal/stamps"
)

// connKey is the key of the connection in the context of a request.
type connKey struct{}

// A site is on a port of this machine, and keeps the log.
type site struct {
	URL    string
	plan   Plan
	server *http.Server
	served sync.WaitGroup

	mu    sync.Mutex
	begun time.Time // when the log began, by the time of day as all arrivals
	log   timeline.Log
}

// openSite opens the site of a plan. Close it.
func openSite(ctx context.Context, plan Plan) (*site, error) {
	listener, err := stamps.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &site{
		URL: "http://" + listener.Addr().String(), plan: plan,
		log: timeline.Log{Processes: plan.Processes, Gap: plan.Gap, Length: plan.Length},
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

// begin begins the log.
func (s *site) begin(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = now.Round(0)
}

// answer answers a request, and notes it. One page is told to wait: the break begins when this answer is written.
func (s *site) answer(w http.ResponseWriter, req *http.Request) {
	at := req.Context().Value(connKey{}).(*stamps.Conn).Arrived()
	a := timeline.Arrival{Robots: req.URL.Path == "/robots.txt", Status: http.StatusOK}
	if n, _ := fmt.Sscanf(req.UserAgent(), userAgent, &a.Process); n == 0 || a.Process < 0 { // anyone on this machine may ask
		http.NotFound(w, req)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a.At = at.Sub(s.begun)
	if !a.Robots && a.At >= s.plan.Break && len(s.log.Breaks) == 0 {
		a.Status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", strconv.Itoa(int(s.plan.BreakFor.Seconds())))
	}
	w.WriteHeader(a.Status)
	if a.Robots {
		fmt.Fprintf(w, "user-agent: *\ncrawl-delay: %g\n", s.plan.Gap.Seconds())
	}
	s.log.Arrivals = append(s.log.Arrivals, a)
	if a.Told() {
		from := time.Since(s.begun)
		s.log.Breaks = append(s.log.Breaks, timeline.Span{Process: a.Process, From: from, To: from + s.plan.BreakFor})
	}
}

// note notes what is done to the processes.
func (s *site) note(do func(log *timeline.Log, now time.Duration)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(&s.log, time.Since(s.begun))
}

// sofar returns the log so far, with what has arrived in its order.
func (s *site) sofar() *timeline.Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(s.log.Arrivals, func(a, b timeline.Arrival) int { return cmp.Compare(a.At, b.At) })
	log := s.log
	log.Arrivals = slices.Clone(log.Arrivals)
	return &log
}

// userAgent tells the site which process of the fleet sends a request, also one for robots.txt. A real crawler tells
// no site.
const userAgent = "DemoBot/1.%d (+https://demo.example/bot)"

// Crawl is what each process of the fleet does: it asks a site for pages, until ctx ends or
// in does.
func Crawl(ctx context.Context, server, site string, number int, in io.Reader, out io.Writer) error {
	fleet, err := redisfleet.Open(ctx, server, redisfleet.Options{Prefix: "demo"})
	if err != nil {
		return err
	}
	defer fleet.Close()
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: fmt.Sprintf(userAgent, number),
		Base:      new(http.Transport),
		Cache:     &polite.Cache{Store: fleet, Turns: fleet},
	}}
	lines := bufio.NewReader(in)
	if _, err := io.WriteString(out, ready); err != nil {
		return err
	}
	if _, err := lines.ReadString('\n'); err != nil {
		return nil // the demo was ended before it began
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() { // until the process ends
		io.Copy(io.Discard, lines)
		cancel()
	}()
	return pages(ctx, client, site)
}

// pages asks for one page after the other, until ctx ends.
func pages(ctx context.Context, client *http.Client, site string) error {
	for n := 1; ctx.Err() == nil; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprint(site, "/page/", n), nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		switch {
		case err == nil:
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		case ctx.Err() != nil:
		case errors.Is(err, polite.ErrRefused):
			time.Sleep(50 * time.Millisecond) // a crawler would put the page off
		default:
			return err
		}
	}
	return nil
}

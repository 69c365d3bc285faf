package restart_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store/boltstore"
)

// The events that the crawler reports, each in a line with the time and a detail.
const (
	opened  = "opened"  // the file is open: how long that took
	told    = "told"    // a caller has an answer that asks for a break: the visit
	refused = "refused" // a page of a host
	late    = "late"    // a page, since its turn could not be reserved: why
	beat    = "beat"    // a small write to the disk was done: nothing
	failed  = "failed"  // something failed that should not: why
)

// An order is what a crawler gets when it starts.
type order struct {
	life  int
	hosts int    // that it crawls
	web   string // the address that is every host
	file  string // that it remembers in
}

func (o order) arguments() []string {
	return []string{strconv.Itoa(o.life), strconv.Itoa(o.hosts), o.web, o.file}
}

func orderOf(arguments []string) (o order) {
	o.life, _ = strconv.Atoi(arguments[0])
	o.hosts, _ = strconv.Atoi(arguments[1])
	o.web, o.file = arguments[2], arguments[3]
	return o
}

// A crawler visits pages until it gets a signal to stop, or is killed.
type crawler struct {
	order
	base      http.RoundTripper
	report    func(event string, at time.Time, about string) // one call at a time
	transport *polite.Transport
	speaking  sync.Mutex
}

// process is a life of the crawler in a process of its own. It ends when standard input ends.
func (o order) process() {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	var dialer net.Dialer
	c := crawler{order: o, base: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, network, o.web)
	}}}
	c.report = func(event string, at time.Time, about string) {
		fmt.Printf("%s %d %v\n", event, at.UnixNano(), about)
	}
	go c.beat(ctx)
	c.live(ctx)
}

// live is a life of the crawler.
func (c *crawler) live(ctx context.Context) {
	began := time.Now()
	store, err := boltstore.Open(c.file, boltstore.Options{})
	if err != nil {
		c.say(failed, err)
		return
	}
	c.say(opened, time.Since(began).Nanoseconds())
	c.transport = &polite.Transport{
		UserAgent: fmt.Sprint("RestartBot/", c.life),
		Base:      stamper{c.base},
		Cache:     &polite.Cache{Store: store},
	}
	c.crawl(ctx)
	if err := store.Close(); err != nil {
		c.say(failed, err)
	}
}

// crawl starts two workers for each host.
func (c *crawler) crawl(ctx context.Context) {
	var crowd sync.WaitGroup
	for host := range c.hosts {
		for worker := range 2 {
			random := rand.New(rand.NewPCG(uint64(c.life), uint64(2*host+worker)))
			crowd.Go(func() {
				for c.rest(ctx, random) {
					c.visit(ctx, nameOf(host))
				}
			})
		}
	}
	crowd.Wait()
}

// rest waits for a while. It reports whether the crawler should go on.
func (c *crawler) rest(ctx context.Context, random *rand.Rand) bool {
	longest := max(200*time.Millisecond, time.Duration(c.hosts)*time.Millisecond)
	select {
	case <-time.After(time.Duration(random.Int64N(int64(longest)))):
		return true
	case <-ctx.Done():
		return false
	}
}

// visit asks for a page.
func (c *crawler) visit(ctx context.Context, host string) {
	err := c.fetch(ctx, host)
	_, isRefused := errors.AsType[*polite.NoRulesError](err)
	_, isLate := errors.AsType[*polite.DelayError](err)
	switch {
	case err == nil, ctx.Err() != nil:
	case isRefused:
		c.say(refused, host)
	case isLate:
		c.say(late, err)
	default:
		c.say(failed, err)
	}
}

func (c *crawler) fetch(ctx context.Context, host string) error {
	req := &http.Request{
		Method: http.MethodGet, URL: &url.URL{Scheme: "http", Host: host, Path: "/page"},
		Header: http.Header{"User-Agent": {c.transport.UserAgent}},
	}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		stamp(req, sentHeader) // after polite has let it go
	}})
	resp, err := c.transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		c.say(told, resp.Header.Get("Visit"))
	}
	io.Copy(io.Discard, resp.Body)
	return resp.Body.Close()
}

// Headers with times, of pages alone.
const (
	begunHeader = "Begun"
	sentHeader  = "Sent"
)

func stamp(req *http.Request, header string) {
	req.Header.Set(header, strconv.FormatInt(time.Now().UnixNano(), 10))
}

// A stamper is a Base that stamps pages with the time when it gets them.
type stamper struct{ http.RoundTripper }

func (s stamper) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == "/page" {
		stamp(req, begunHeader)
	}
	return s.RoundTripper.RoundTrip(req)
}

// beat shows how fast this machine is: it reports each small write to the disk when it is
// done.
func (c *crawler) beat(ctx context.Context) {
	file, err := os.Create(filepath.Join(filepath.Dir(c.file), "beat"))
	if err != nil {
		c.say(failed, err)
		return
	}
	defer file.Close()
	for ctx.Err() == nil {
		time.Sleep(rhythm)
		_, err := file.WriteAt(make([]byte, 4<<10), 0)
		if err := errors.Join(err, file.Sync()); err != nil {
			c.say(failed, err)
			return
		}
		c.say(beat, "")
	}
}

const rhythm = 25 * time.Millisecond // between two writes

// say reports an event.
func (c *crawler) say(event string, about any) {
	now := time.Now()
	c.speaking.Lock()
	defer c.speaking.Unlock()
	c.report(event, now, fmt.Sprint(about))
}

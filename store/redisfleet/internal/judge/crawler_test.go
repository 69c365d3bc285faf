package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
)

// What a crawler tells, in a line with the time: an event and what it is about.
const (
	told   = "told"   // a caller of an answer that asks for a break: the visit
	heard  = "heard"  // of a break: how much is left of it, and its lane
	unheld = "unheld" // a break that the engine could not keep: its lane
	hears  = "hears"  // all breaks are known: nothing
	lost   = "lost"   // what is reserved may be lost: why
	late   = "late"   // a page, since its turn could not be reserved: why
	failed = "failed" // something that should not: why
)

// An order is what a crawler is told when it is started.
type order struct {
	Life, Place int
	Began       time.Time // of the site
	Site        string    // the address that is every host
	Engine      string    // the URL
	Lanes       []lane
	Plain       bool // without a Backoff
}

// A crawler visits pages until it is told to stop, or is killed.
type crawler struct {
	order
	cache    *polite.Cache
	base     http.RoundTripper
	hears    chan struct{} // closed when it hears the others
	hearing  sync.Once
	speaking sync.Mutex
}

// live is the life of a crawler. It ends when standard input does.
func live(arguments string) {
	c := &crawler{hears: make(chan struct{})}
	if err := json.Unmarshal([]byte(arguments), &c.order); err != nil {
		c.say(failed, err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	fleet := c.open(ctx)
	if fleet == nil {
		return
	}
	defer fleet.Close()
	c.cache = &polite.Cache{Store: fleet, Turns: listener{fleet, c}}
	c.base = c.newBase()
	var crowd sync.WaitGroup
	for _, l := range c.Lanes {
		t := c.transport(polite.Pace{Concurrency: l.Slots, MinDelay: l.gap(c.Place), Backoff: polite.Backoff{Off: c.Plain}})
		for range l.Workers {
			crowd.Go(func() { c.work(ctx, t, l) })
		}
	}
	crowd.Go(func() { c.explore(ctx) })
	crowd.Wait()
}

// open opens the fleet. It tries again while the engine is away.
func (c *crawler) open(ctx context.Context) *redisfleet.Fleet {
	for ctx.Err() == nil {
		fleet, err := redisfleet.Open(ctx, c.Engine, redisfleet.Options{Prefix: "judge"})
		if err == nil {
			return fleet
		}
		c.rest(ctx, 100*ms)
	}
	return nil
}

func (c *crawler) transport(pace polite.Pace) *polite.Transport {
	return &polite.Transport{
		UserAgent: fmt.Sprint("JudgedBot/", c.Life), Base: c.base, Cache: c.cache, Pace: pace, Policy: polite.Policy{Timeout: timeout},
	}
}

// newBase connects to the site, whatever the host. It takes as long as the lane says.
func (c *crawler) newBase() http.RoundTripper {
	dials := make(map[string]time.Duration)
	for _, l := range c.Lanes {
		dials[l.Host+":80"] = l.Dial
	}
	var dialer net.Dialer
	return begins{c, &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if most := dials[address]; most > 0 {
			time.Sleep(rand.N(most))
		}
		return dialer.DialContext(ctx, network, c.Site)
	}}}
}

// work visits a lane again and again.
func (c *crawler) work(ctx context.Context, t *polite.Transport, l lane) {
	if l.Late {
		select {
		case <-c.hears:
		case <-ctx.Done():
		}
	}
	for ctx.Err() == nil {
		if !c.visit(ctx, t, &l) {
			c.rest(ctx, 100*ms)
		}
		if l.Rest > 0 {
			c.rest(ctx, rand.N(l.Rest))
		}
	}
}

// explore visits new hosts: at about the same time as the others.
func (c *crawler) explore(ctx context.Context) {
	t := c.transport(polite.Pace{})
	for ctx.Err() == nil {
		n := time.Since(c.Began)/newEvery + 1
		c.rest(ctx, time.Until(c.Began.Add(n*newEvery))+rand.N(newEvery/4))
		c.visit(ctx, t, &lane{Host: newHost(int(n))})
	}
}

func newHost(n int) string { return fmt.Sprintf("new%d.test", n) }

func (c *crawler) rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// visit asks for a page, and reports whether it came.
func (c *crawler) visit(ctx context.Context, t *polite.Transport, l *lane) bool {
	err := c.fetch(ctx, t, l)
	if err == nil || ctx.Err() != nil {
		return true
	}
	if _, ok := errors.AsType[*polite.DelayError](err); ok {
		c.say(late, err)
	} else {
		c.say(failed, err)
	}
	return false
}

func (c *crawler) fetch(ctx context.Context, t *polite.Transport, l *lane) error {
	req := &http.Request{
		Method: http.MethodGet, URL: &url.URL{Scheme: "http", Host: l.Host, Path: "/page"}, Close: l.Alone,
		Header: http.Header{"User-Agent": {t.UserAgent}},
	}
	n := new(note)
	ctx = context.WithValue(ctx, noteKey{}, n)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		n.sent = c.now() // after polite has let it go
		req.Header.Set(noteHeader, n.String())
	}})
	resp, err := t.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusTooManyRequests {
		c.say(told, resp.Header.Get("Visit"))
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

type noteKey struct{}

func (c *crawler) now() time.Duration {
	return time.Duration(time.Now().UnixNano() - c.Began.UnixNano())
}

// begins is a Base that notes when it gets a request.
type begins struct {
	*crawler
	http.RoundTripper
}

func (b begins) RoundTrip(req *http.Request) (*http.Response, error) {
	if n, ok := req.Context().Value(noteKey{}).(*note); ok {
		n.begun = b.now()
	} else { // it is for robots.txt
		req = req.Clone(req.Context())
		req.Header.Set(noteHeader, note{begun: b.now()}.String())
	}
	return b.RoundTripper.RoundTrip(req)
}

// A listener is Turns that notes what is reserved, and tells what is heard.
type listener struct {
	store.Turns
	*crawler
}

func (l listener) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	before := l.now()
	grant, err := l.Turns.Take(ctx, lane, ask)
	first := strings.HasPrefix(lane, "first ") // the right to go first after a break is no start
	if n, ok := ctx.Value(noteKey{}).(*note); ok && ask.Token != "" && !first {
		n.taken, n.slack, n.until = before, ask.Slack, before+max(grant.Wait, ask.NotBefore)+ask.Slack
	}
	return grant, err
}

func (l listener) Break(ctx context.Context, lane string, wait time.Duration) error {
	err := l.Turns.Break(ctx, lane, wait)
	if err != nil {
		l.say(unheld, lane)
	}
	return err
}

func (l listener) Watch(ctx context.Context, f func(store.Change)) error {
	err := l.Turns.Watch(ctx, func(change store.Change) {
		f(change)
		if change != (store.Change{}) {
			l.say(heard, fmt.Sprint(int64(change.Break), " ", change.Lane))
			return
		}
		l.hearing.Do(func() {
			l.say(hears, "")
			close(l.crawler.hears)
		})
	})
	l.say(lost, err)
	return err
}

// say writes a line to standard output.
func (c *crawler) say(event string, about any) {
	now := c.now()
	c.speaking.Lock()
	defer c.speaking.Unlock()
	fmt.Printf("%s %d %v\n", event, int64(now), about)
}

package group

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
)

// A groupSite says how the i-th origin of a machine answers, for one request at a time.
type groupSite func(now time.Duration, i int) conduct.Reply

// statusReset stands for a connection that is reset.
const statusReset = -1

// A groupCrawl fetches pages of many origins that are one Group.
type groupCrawl struct {
	origins   int
	site      groupSite
	refuses   func(now time.Duration, i int) bool // connections; nil: none
	processes int                                 // more than one share a store
	workers   int                                 // of each origin and process
	pool      int                                 // workers of each process, which ask for all origins in random order
	long      time.Duration
	robots    bool // robots.txt is answered as a page is, and not known before
	pace      polite.Pace
	noGroup   bool
	maxWait   time.Duration
	limited   func(polite.Limit) // is called as Trace.Limited
	ended     func()             // is called at the end; may be nil
	patience  time.Duration      // for an answer; zero is 5 s
}

// A groupArrival is a request as the machine saw it. A connection that was refused is one, too.
type groupArrival struct {
	at, takes time.Duration
	i, status int
}

func (a groupArrival) good() bool {
	return a.status == http.StatusOK || a.status == http.StatusNotFound
}

// A groupOutcome is what the machine saw.
type groupOutcome struct {
	arrivals []groupArrival
	log      origintest.Log
}

func all(int) bool { return true }

// count returns how many arrived at some origins from one time to another, and how many were answered
// well.
func (o *groupOutcome) count(from, to time.Duration, of func(i int) bool) (n, good int) {
	for _, a := range o.arrivals {
		if a.at >= from && a.at < to && of(a.i) {
			n++
			if a.good() {
				good++
			}
		}
	}
	return n, good
}

// upTo returns how many arrived before a time.
func (o *groupOutcome) upTo(until time.Duration) int {
	n, _ := o.count(0, until, all)
	return n
}

// A groupPlay is a groupCrawl under way.
type groupPlay struct {
	groupCrawl
	*conduct.Crew
	mu    sync.Mutex
	begun time.Time
	ready bool // all robots.txt are known
	saw   *groupOutcome
}

// run crawls in virtual time.
func (c groupCrawl) run(t *testing.T) *groupOutcome {
	saw := new(groupOutcome)
	synctest.Test(t, func(t *testing.T) {
		p := &groupPlay{groupCrawl: c, Crew: conduct.NewCrew(t), saw: saw, begun: time.Now()}
		p.Web.Page("", "/page", p.answer)
		p.Web.Robots("", origintest.Delay(100*time.Millisecond, origintest.Status(http.StatusNotFound)))
		if c.robots {
			p.Web.Robots("", p.answer)
		}
		for range max(c.processes, 1) {
			p.begin()
		}
		p.Web.Take()
		p.mu.Lock()
		p.begun, p.ready = time.Now(), true
		p.mu.Unlock()
		p.crawlFor(c.long)
		saw.log = p.Web.Take()
		if c.ended != nil {
			c.ended()
		}
	})
	return saw
}

// begin begins a process, which learns all robots.txt.
func (p *groupPlay) begin() {
	edits := []func(*polite.Transport){p.edit}
	if p.processes <= 1 {
		edits = append(edits, alone)
	}
	tr := p.Join(edits...).Tr
	if p.robots {
		return
	}
	for i := range p.origins {
		conduct.Know(p.T, tr, groupHost(i))
	}
}

func (p *groupPlay) edit(tr *polite.Transport) {
	tr.Pace, tr.Trace.Limited = p.pace, p.limited
	if !p.noGroup && tr.Pace.Group == nil {
		byLetter(tr)
	}
	base := tr.Base.(*http.Transport)
	base.MaxIdleConnsPerHost = max(p.workers, p.pool)
	base.ResponseHeaderTimeout = cmp.Or(p.patience, 5*time.Second)
	if p.refuses == nil {
		return
	}
	dial := base.DialContext
	base.DisableKeepAlives = true
	base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if p.refused(address) {
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
		}
		return dial(ctx, network, address)
	}
}

func (p *groupPlay) refused(address string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, i := time.Since(p.begun), groupIndex(address)
	if !p.ready || !p.refuses(now, i) {
		return false
	}
	p.saw.arrivals = append(p.saw.arrivals, groupArrival{at: now, i: i})
	return true
}

func (p *groupPlay) answer(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	now, i := time.Since(p.begun), groupIndex(r.Host)
	reply := p.site(now, i)
	if r.URL.Path == "/robots.txt" && reply.Code() == http.StatusOK {
		reply.Status = http.StatusNotFound
	}
	p.saw.arrivals = append(p.saw.arrivals, groupArrival{now, reply.After(), i, reply.Code()})
	p.mu.Unlock()
	if reply.Status == statusReset {
		origintest.Reset(w, r)
		return
	}
	reply.Write(w, r)
}

func groupHost(i int) string { return fmt.Sprintf("a%d.example.com", i) }

func groupIndex(host string) (i int) {
	fmt.Sscanf(strings.TrimPrefix(host, "a"), "%d", &i)
	return i
}

// crawlFor lets the workers ask for pages.
func (p *groupPlay) crawlFor(long time.Duration) {
	ctx, cancel := context.WithTimeout(polite.With(p.Context(), polite.Options{MaxWait: p.maxWait}), long)
	defer cancel()
	for n, m := range p.Members {
		for i := range p.origins {
			for range p.workers {
				p.Under.Go(func() { p.work(ctx, m, func() int { return i }, conduct.UntilAgain) })
			}
		}
		for k := range p.pool {
			random := rand.New(rand.NewPCG(uint64(n), uint64(k)))
			p.Under.Go(func() { p.work(ctx, m, func() int { return random.IntN(p.origins) }, soonAgain) })
		}
	}
	p.Under.Wait()
}

// soonAgain is how long a worker of a pool waits after err, before it asks for a page of another site.
func soonAgain(err error) time.Duration {
	if err == nil {
		return 0
	}
	return 50 * time.Millisecond
}

func (p *groupPlay) work(ctx context.Context, m *conduct.Member, next func() int, after func(error) time.Duration) {
	c := conduct.Client(m.Tr)
	for ctx.Err() == nil {
		err := conduct.Read(ctx, c, "http://"+groupHost(next())+"/page")
		origintest.Wait(ctx, after(err))
	}
}

// A groupLimit refuses what comes faster than rate, over all origins together, beside a burst.
func groupLimit(rate, burst float64, status int) groupSite {
	bucket := conduct.Bucket(conduct.Steady(rate), burst)
	return func(now time.Duration, _ int) conduct.Reply {
		reply := bucket(now, "")
		if reply.Status != 0 {
			reply.Status = status
		}
		return reply
	}
}

// A groupSickness is a way in which an origin is sick.
type groupSickness struct {
	reply   conduct.Reply
	refuses bool
}

var groupSicknesses = map[string]groupSickness{
	"429":     {reply: conduct.Reply{Status: http.StatusTooManyRequests}},
	"503":     {reply: conduct.Reply{Status: http.StatusServiceUnavailable}},
	"500":     {reply: conduct.Reply{Status: http.StatusInternalServerError}},
	"hangs":   {reply: conduct.Reply{Takes: time.Hour}},
	"resets":  {reply: conduct.Reply{Status: statusReset}},
	"refuses": {refuses: true},
}

// strike makes the origins sick that are chosen, at some times.
func (s groupSickness) strike(c groupCrawl, is func(now time.Duration, i int) bool) groupCrawl {
	well := c.site
	c.site = func(now time.Duration, i int) conduct.Reply {
		if is(now, i) {
			return s.reply
		}
		return well(now, i)
	}
	if s.refuses {
		c.refuses = is
	}
	return c
}

// groupWell answers after half a second.
func groupWell(time.Duration, int) conduct.Reply { return conduct.Reply{Takes: 500 * time.Millisecond} }

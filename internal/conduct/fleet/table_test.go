package fleet

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// A row of the table is what fleets of several sizes meet, and what they send all the same.
type row struct {
	name string

	gap       time.Duration
	slots     int           // 0: no limit of the user's
	takes     time.Duration // a page
	dials     [2]time.Duration
	fresh     bool                 // no connection serves twice
	way       func() time.Duration // of a call to the store; nil: a millisecond
	site      func() http.Handler  // nil: it serves all
	bears     float64              // pages a second; 0: what one plain client sends
	meets     func(*crowd)         // what happens meanwhile; nil: nothing
	from, to  time.Duration        // when pages count
	processes []int                // nil: sizes
	atLeast   map[int]float64      // the part of these pages that so many processes send; else nine tenths
	why       string               // what bounds a part below nine tenths
	refuses   int                  // pages, at most, beside 1.5%
	uneven    bool                 // a process may get little
	mostCalls float64              // a page; 0: five
}

// sizes are those of the fleets.
func (r *row) sizes() []int {
	all := []int{2, 8, 16, 50}
	switch {
	case testing.Short():
		return all[1:2]
	case r.processes != nil:
		return long.Or(r.processes, all)
	default:
		return all
	}
}

// A crowd is a fleet that crawls.
type crowd struct {
	*conduct.Crew
	ctx     context.Context
	row     *row
	workers int // of a process
	leave   []context.CancelFunc
	calls   atomic.Int64

	mu    sync.Mutex
	pages []served
}

// A served page was answered.
type served struct {
	at      time.Duration
	process string // its page
	good    bool
}

func (c *crowd) serve(w http.ResponseWriter, r *http.Request, site http.Handler) {
	at, answer := time.Since(c.Began), &noted{ResponseWriter: w}
	site.ServeHTTP(answer, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages = append(c.pages, served{at, r.URL.Path, answer.status < 400})
}

// join begins a process.
func (c *crowd) join() {
	m := c.Join(paced(c.row.gap, c.row.slots), func(tr *polite.Transport) {
		tr.Trace.Called = func(call store.Call) {
			if at := time.Since(c.Began); call.Err == nil && at >= c.row.from && at < c.row.to {
				c.calls.Add(1)
			}
		}
	})
	if c.row.fresh {
		conduct.Fresh(m.Tr)
	}
	ctx, end := context.WithCancel(c.ctx)
	c.leave = append(c.leave, func() { m.Leave(); end() })
	m.Crawl(ctx, c.workers, "example.com")
}

// crawl lets a fleet meet what r says, and judges what it does.
func (r *row) crawl(t *testing.T, processes int, possible float64) {
	c := &crowd{Crew: conduct.NewCrew(t), row: r, workers: max(32/processes, 1)}
	if r.way != nil {
		c.Way = r.way
	}
	c.Dials.Change(conduct.Upto(r.dials[0], r.dials[1]))
	var site http.Handler = origintest.Text("a page\n")
	if r.site != nil {
		site = r.site()
	}
	site = origintest.Delay(r.takes, site.ServeHTTP)
	for i := range 100 {
		c.Web.Page("example.com", fmt.Sprint("/", i), func(w http.ResponseWriter, req *http.Request) { c.serve(w, req, site) })
	}
	ctx, cancel := context.WithCancel(t.Context())
	c.ctx = ctx
	for range processes {
		c.join()
	}
	if r.meets != nil {
		c.Under.Go(func() { r.meets(c) })
	}
	time.Sleep(r.to) // on the bubble's clock
	cancel()
	c.Under.Wait()
	r.judge(t, c, processes, possible)
}

func (r *row) judge(t *testing.T, c *crowd, processes int, possible float64) {
	c.mu.Lock() // the site may still answer
	defer c.mu.Unlock()
	good, bad, own := 0, 0, make(map[string]int)
	for _, p := range c.pages {
		switch {
		case p.at < r.from || p.at >= r.to:
		case p.good:
			good++
			own[p.process]++
		default:
			bad++
		}
	}
	poorest := good
	for i := range processes {
		poorest = min(poorest, own[fmt.Sprint("/", i)])
	}
	part, calls := float64(good)/possible, float64(c.calls.Load())/float64(max(good, 1))
	share := float64(poorest*processes) / float64(max(good, 1))
	t.Logf("%d processes: %.2f of %.0f pages, %.1f calls a page, %d refused, %.2f of its share to the poorest", processes, part, possible, calls, bad, share)

	least, known := r.atLeast[processes]
	if !known {
		least = 0.9
	}
	assert.GreaterOrEqual(t, part, least, "of the pages that are possible")
	assert.LessOrEqual(t, float64(bad), 0.015*float64(good)+float64(r.refuses), "refused")
	assert.LessOrEqual(t, calls, cmp.Or(r.mostCalls, 5), "calls a page")
	if !r.uneven && good >= 20*processes {
		assert.GreaterOrEqual(t, share, 0.65, "of its share, the poorest process")
	}
	arrived := c.Web.Log().Pages()
	assert.Empty(t, conduct.TooClose(arrived, r.gap), "gaps")
	if r.slots > 0 {
		assert.LessOrEqual(t, conduct.MostUnderWay(arrived, r.takes), r.slots, "under way")
	}
}

// plain returns how many pages a client sends that knows of nobody: one in each gap, in so many slots.
func (r *row) plain(t *testing.T) (pages int) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		c.Dials.Change(conduct.Upto(r.dials[0], r.dials[1]))
		c.Web.Page("example.com", "/plain", origintest.Delay(r.takes, origintest.Text("a page\n")))
		base := c.Web.Transport(t)
		base.DisableKeepAlives = r.fresh
		c.Dials.Slowing(base)
		ctx, cancel := context.WithTimeout(t.Context(), r.to)
		defer cancel()
		slots := make(chan struct{}, 1000)
		if r.slots > 0 {
			slots = make(chan struct{}, r.slots)
		}
		for next := time.Now(); ctx.Err() == nil; {
			slots <- struct{}{}
			c.Under.Go(func() {
				defer func() { <-slots }()
				conduct.Visit(ctx, &http.Client{Transport: base}, "http://example.com/plain")
			})
			next = next.Add(r.gap)
			origintest.Wait(ctx, time.Until(next))
			if now := time.Now(); now.After(next) { // there was no slot
				next = now
			}
		}
		c.Under.Wait()
		pages = len(c.Pages(r.from, r.to))
	})
	return pages
}

// A fleet of any size sends nine tenths of what one plain client sends, or of what the site bears, in each
// trouble, unless the row says what bounds it. It costs the store a few calls a page, and no process is left out.
func TestFleetIsAsGoodAsOneClient(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(ways(), few(), troubles(), limits(), falls())
	if testing.Short() { // one of each kind that does not compute much
		rows = slices.Concat(ways()[1:2], few()[:1], troubles()[1:3])
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if r.to == 0 {
				r.to = time.Minute
			}
			if r.from == 0 {
				r.from = 12 * time.Second
			}
			possible := r.bears * (r.to - r.from).Seconds()
			if r.bears == 0 {
				possible = float64(r.plain(t))
			}
			for _, processes := range r.sizes() {
				synctest.Test(t, func(t *testing.T) { r.crawl(t, processes, possible) })
			}
		})
	}
}

const ms = time.Millisecond

var (
	usualDials = [2]time.Duration{80 * ms, 120 * ms}
	rareDials  = [2]time.Duration{0, 300 * ms} // some take long
)

// ways are ways to the site and to the store.
func ways() []row {
	return []row{
		{name: "gap 250ms", gap: 250 * ms, takes: 30 * ms, dials: usualDials, fresh: true},
		{name: "connects of up to 300ms", gap: 250 * ms, takes: 30 * ms, dials: rareDials, fresh: true, uneven: true,
			atLeast: map[int]float64{50: 0.85}, why: "a start is missed"},
		{name: "connects of up to five gaps", gap: 250 * ms, takes: 30 * ms, dials: [2]time.Duration{0, 1250 * ms}, fresh: true, uneven: true,
			atLeast: map[int]float64{50: 0.85}, why: "a start is missed"},
		{name: "store 10ms away", gap: 250 * ms, takes: 30 * ms, dials: usualDials, fresh: true, way: conduct.Always(10 * ms)},
		{name: "store 40ms away", gap: time.Second, takes: 30 * ms, dials: usualDials, fresh: true, way: conduct.Always(40 * ms)},
		{name: "store that is slow at times", gap: 250 * ms, takes: 30 * ms, dials: usualDials, fresh: true, way: slowAtTimes(), uneven: true},
		{name: "slots and a store of 1 to 30ms", gap: 100 * ms, slots: 4, takes: 30 * ms, dials: usualDials, fresh: true, way: conduct.Upto(ms, 30*ms),
			processes: []int{2, 50}, atLeast: all(0.7), why: "the slack covers the slowest calls, a third of the gap"},
		{name: "gap 10ms, calls 0.2ms", gap: 10 * ms, takes: 30 * ms, way: conduct.Always(ms / 5), processes: []int{2, 50}},
		{name: "gap 20ms", gap: 20 * ms, takes: 30 * ms, processes: []int{2, 50}, atLeast: all(0.89), why: "the slack is two calls"},
		{name: "gap 50ms", gap: 50 * ms, takes: 30 * ms},
		{name: "slow first calls", gap: 250 * ms, takes: 30 * ms, from: 6 * time.Second, meets: func(c *crowd) {
			for _, m := range c.Members {
				m.SlowOnce("take", 2*time.Second)
			}
		}},
	}
}

// all is a part for fleets of each size.
func all(part float64) map[int]float64 { return map[int]float64{2: part, 8: part, 16: part, 50: part} }

// slowAtTimes is a way on which one call in 150 is slow.
func slowAtTimes() func() time.Duration {
	n, usual := 0, conduct.Upto(300*time.Microsecond, 4*ms)
	return func() time.Duration {
		if n++; n%150 == 0 {
			return 80 * ms
		}
		return usual()
	}
}

// few are sites with few slots.
func few() (rows []row) {
	for _, slots := range long.Or([]int{1, 2}, []int{1, 2, 3}) {
		for _, gap := range long.Or([]time.Duration{0, 250 * ms}, []time.Duration{0, 250 * ms, time.Second}) {
			for _, takes := range long.Or([]time.Duration{250 * ms}, []time.Duration{30 * ms, 125 * ms, 250 * ms, 600 * ms, time.Second, 2 * time.Second}) {
				for _, dials := range long.Or([][2]time.Duration{{}, rareDials}, [][2]time.Duration{{}, usualDials, rareDials}) {
					r := row{gap: gap, slots: slots, takes: takes, dials: dials, fresh: dials[1] > 0, processes: []int{8, 50}, mostCalls: 6, uneven: dials == rareDials,
						atLeast: map[int]float64{50: 0.8}, why: "a start moves behind those of others while its request waits for the slot"}
					r.name = fmt.Sprintf("slots %d, gap %v, pages %v, connects %v to %v", slots, gap, takes, dials[0], dials[1])
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

// troubles are those of the fleet itself.
func troubles() []row {
	const fewer = "the starts of the process that is killed are lost"
	replaced := row{from: time.Minute, to: 5 * time.Minute, uneven: true, mostCalls: 20, meets: replace}
	slowly, quickly, limited := replaced, replaced, replaced
	quickly.name, quickly.gap, quickly.atLeast, quickly.why = "one is replaced, gap 1s", time.Second, nil, ""
	slowly.name, slowly.gap, slowly.atLeast, slowly.why = "one is replaced, gap 5s", 5*time.Second, all(0.65), fewer
	limited.name, limited.site, limited.bears, limited.refuses = "one is replaced, limit of one a second", limit(1, 0), 1, 60
	limited.atLeast, limited.why = all(0.35), fewer+", and a process that comes may be a little too quick"
	return []row{
		{name: "the store stalls", gap: 250 * ms, takes: 30 * ms, dials: usualDials, fresh: true, meets: stalling(stall{time.Second, false})},
		{name: "the store stalls, and loses connections", gap: 250 * ms, slots: 2, takes: 30 * ms, dials: usualDials, fresh: true, processes: []int{8, 50}, from: 15 * time.Second, meets: stalling(stall{3 * time.Second, true})},
		{name: "callers leave", gap: 200 * ms, dials: [2]time.Duration{0, 20 * ms}, meets: abandon, atLeast: map[int]float64{50: 0.85}, why: "half of 50 processes leave"},
		{name: "callers leave, slots", processes: []int{8, 50}, gap: 200 * ms, slots: 2, dials: [2]time.Duration{0, 20 * ms}, meets: abandon},
		quickly, slowly, limited,
	}
}

// A stall is a time in which the store of a fleet answers nobody, after which all is as before.
type stall struct {
	long  time.Duration
	loses bool // the connections to the store are lost at its end
}

// of makes the store stand still now, and returns when it answers again.
func (s stall) of(c *conduct.Crew) {
	for _, m := range c.Members {
		m.Stall(s.long)
	}
	time.Sleep(s.long)
	if s.loses {
		for _, m := range c.Members {
			m.Leave()
			m.ComeBack()
		}
	}
}

func stalling(s stall) func(*crowd) {
	return func(c *crowd) {
		time.Sleep(8 * time.Second) // on the bubble's clock
		s.of(c.Crew)
	}
}

// abandon lets half of the processes have callers, too, who give up after 100 to 300 ms.
func abandon(c *crowd) {
	for _, m := range c.Members[:len(c.Members)/2] {
		leaves(c.ctx, m, c.Crew, c.workers, 100*ms, 300*ms)
	}
}

// leaves lets workers ask for pages of the process, and give up each after some random time.
func leaves(ctx context.Context, m *conduct.Member, c *conduct.Crew, workers int, least, most time.Duration) {
	for worker := range workers {
		random := rand.New(rand.NewPCG(uint64(worker), 11))
		c.Under.Go(func() {
			for ctx.Err() == nil {
				asking, cancel := context.WithCancel(ctx) // without a deadline, by which it would be refused at once
				timer := time.AfterFunc(least+time.Duration(random.Int64N(int64(most-least))), cancel)
				conduct.Visit(asking, conduct.Client(m.Tr), "http://example.com"+m.Page())
				timer.Stop()
				cancel()
			}
		})
	}
}

// replace kills a process every 15 s, and begins another.
func replace(c *crowd) {
	time.Sleep(time.Minute) // on the bubble's clock
	for i := 0; origintest.Wait(c.ctx, 15*time.Second); i++ {
		c.leave[i]()
		c.join()
	}
}

// limit is a site that bears so many pages a second, and a burst of them.
func limit(rate, burst time.Duration) func() http.Handler {
	return func() http.Handler { return &limiter{every: time.Second / rate, burst: burst} }
}

// limits are those of a site that tells nothing, but for a quota.
func limits() []row {
	rows := []row{
		{name: "5 a second, burst 10", site: limit(5, 10), bears: 5, atLeast: map[int]float64{50: 0.75}},
		{name: "50 in 10s", site: func() http.Handler { return &windowLimiter{most: 50, period: 10 * time.Second} }, bears: 5, atLeast: map[int]float64{16: 0.75, 50: 0.65}},
		{name: "quota of 600 in 5m, told", site: func() http.Handler { return &quota{most: 600, period: 5 * time.Minute} }, bears: 2, from: 1, to: 20 * time.Minute, atLeast: all(0.95), refuses: 2},
		{name: "quota of 600 in 5m, not told", site: func() http.Handler { return &windowLimiter{most: 600, period: 5 * time.Minute} }, bears: 2, from: 1, to: 20 * time.Minute,
			atLeast: map[int]float64{2: 0.75, 8: 0.8, 16: 0.75, 50: 0.4}}, // one refusal late in the time costs a fifth of it
	}
	for i := range rows {
		r := &rows[i]
		r.takes, r.uneven, r.refuses, r.processes = 30*ms, true, cmp.Or(r.refuses, 60), []int{2, 16}
		r.why = "the more there are, the longer it takes until all know what the site bears"
		if r.to == 0 {
			r.from, r.to = time.Minute, 10*time.Minute
		}
	}
	return rows
}

// falls are sites that bear less for a while, or ban. In the sixth minute after a fall, all is as before. After
// a ban, it is a third for three times as long.
func falls() (rows []row) {
	const guesses = "a process that sent one request at a time guesses what it has sent"
	times := []fall{
		{2 * time.Minute, 40 * time.Second, 1},
		{0, 40 * time.Second, 0}, // nothing is known of the site before
		{2 * time.Minute, 40 * time.Second, 0},
		{2 * time.Minute, 20 * time.Second, 1},
		{2 * time.Minute, 90 * time.Second, 1},
		{0, 90 * time.Second, 0},
	}
	for _, f := range times[:long.Or(2, len(times))] {
		again := f.from + f.lasts + 5*time.Minute
		rows = append(rows, row{name: fmt.Sprintf("%d a second in place of 20, from %v for %v", f.bears, f.from, f.lasts), site: f.site, bears: usualRate, from: again, to: again + time.Minute,
			processes: []int{8, 50}, atLeast: map[int]float64{50: 0.8}, why: "starts that were reserved at a lower rate are not moved"})
	}
	for _, b := range []struct {
		status          int
		lasts, from, to time.Duration
		atLeast         map[int]float64
		why             string
	}{
		{http.StatusForbidden, 10 * time.Minute, 10 * time.Minute, 25 * time.Minute, map[int]float64{2: 1.7, 8: 1.7, 16: 1.7, 50: 0.05}, guesses}, // all asked for more
		{http.StatusTooManyRequests, 10 * time.Minute, 10 * time.Minute, 25 * time.Minute, map[int]float64{50: 0.05}, guesses},
		{http.StatusServiceUnavailable, 2 * time.Minute, 8 * time.Minute, 14 * time.Minute, all(0.65), "the first time it is trouble, and the second ban is over in the middle of a break"},
	} {
		site := func() http.Handler {
			return &ban{status: b.status, most: 300, within: 20 * time.Second, lasts: b.lasts}
		}
		rows = append(rows, row{name: fmt.Sprint("a ban by ", b.status), site: site, bears: 5, from: b.from, to: b.to, processes: []int{2, 8}, refuses: 5, atLeast: b.atLeast, why: b.why})
	}
	for i := range rows {
		rows[i].takes, rows[i].uneven = 30*ms, true
	}
	return rows
}

// paced sets the gap and the limit.
func paced(gap time.Duration, slots int) func(*polite.Transport) {
	return func(tr *polite.Transport) {
		tr.Pace.MinDelay, tr.Pace.Concurrency = gap, slots
	}
}

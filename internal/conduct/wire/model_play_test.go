package wire

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
)

// A laneRun is what became of a scenario.
type laneRun struct {
	*lane
	t     *testing.T
	web   *origintest.Server
	store *memstore.Store
	trs   []*polite.Transport
	start time.Time

	mu     sync.Mutex
	tries  map[int]int
	fates  []*fate
	asked  []laneFetch
	dials  []laneDial
	pages  []lanePage
	waits  int // that have begun, and are not over
	errors []string
}

// A fate is what became of a request.
type fate struct {
	began, returned time.Time
	status          int
	err             error
	retryAfter      time.Duration
	ended           time.Time // its slot: the body is closed or read, or its context has ended
	bodies          []*conduct.Body
	ctx             *parentContext
}

// A laneFetch is a robots.txt that has come.
type laneFetch struct {
	at    time.Time
	took  time.Duration
	rules int // which; -1: none came
}

// A laneDial is the beginning of a connect for a request.
type laneDial struct {
	at time.Time
	by int
}

// A lanePage is a request that has arrived.
type lanePage struct {
	at  time.Time
	id  int
	uri string
}

func (l *lane) play(t *testing.T) *laneRun {
	run := &laneRun{lane: l, t: t, web: origintest.NewInMemory(t), start: time.Now(), tries: make(map[int]int)}
	cache := new(polite.Cache)
	if l.stored {
		run.store = new(memstore.Store)
		cache.Store = run.store
	}
	run.web.Robots("example.com", run.serveRobots)
	for i := range 4 {
		run.web.Page("example.com", fmt.Sprint("/p/", i), run.servePage)
	}
	for _, tr := range l.transports {
		run.trs = append(run.trs, run.transport(tr, cache))
	}
	var all sync.WaitGroup
	for i := range l.requests {
		f := new(fate)
		run.fates = append(run.fates, f)
		all.Go(func() { run.request(i, f) })
	}
	for i, at := range l.checks {
		all.Go(func() { run.check(i, at) })
	}
	for _, b := range l.breaks {
		all.Go(func() {
			origintest.Wait(t.Context(), b.at)
			run.store.Break(t.Context(), "origin http://example.com", b.long)
		})
	}
	run.await(&all)
	run.read()
	run.revive()
	run.leave()
	return run
}

func (run *laneRun) transport(tr laneTransport, cache *polite.Cache) *polite.Transport {
	base := run.web.Transport(run.t)
	if tr.http2 {
		(&wire{T: run.t, web: run.web, base: base}).serveHTTP2(250)
		base.HTTP2 = nil
	}
	base.MaxConnsPerHost, base.DisableKeepAlives = tr.conns, !tr.kept
	dial := base.DialContext
	base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		id, ok := ctx.Value(idKey{}).(int)
		most := tr.dials
		if ok {
			run.note(func() { run.dials = append(run.dials, laneDial{time.Now(), id}) })
		} else {
			most = min(most, 2*time.Second)
		}
		if !origintest.Wait(ctx, run.share(most)) {
			return nil, context.Cause(ctx)
		}
		return dial(ctx, network, address)
	}
	politely := conduct.NewTransport(run.t, run.web)
	politely.Base, politely.Cache, politely.Policy.Timeout = base, cache, 10*time.Second
	politely.Pace = polite.Pace{MinDelay: tr.gap, MaxWait: tr.maxWait, Concurrency: tr.slots}
	politely.Trace.Waits = func(*http.Request, time.Time) { run.note(func() { run.waits++ }) }
	politely.Trace.Waited = func(*http.Request, time.Duration, error) { run.note(func() { run.waits-- }) }
	politely.Trace.Asked = func(f polite.Fetch) {
		which := -1
		if f.Err == nil && f.Status == 200 {
			which = f.Size - rulesSize
		}
		run.note(func() { run.asked = append(run.asked, laneFetch{time.Now(), f.Took, which}) })
	}
	return politely
}

func (run *laneRun) note(what func()) {
	run.mu.Lock()
	defer run.mu.Unlock()
	what()
}

// share returns a part of d. It does not depend on who comes first, but on when.
func (run *laneRun) share(d time.Duration) time.Duration {
	ms := time.Since(run.start).Milliseconds()
	return d * time.Duration((ms*7919+13)%100) / 100
}

// rulesSize is the size of the first robots.txt; those after it are an octet longer each.
const rulesSize = 200

func (run *laneRun) serveRobots(w http.ResponseWriter, r *http.Request) {
	which := 0
	for i, rules := range run.rules {
		if time.Since(run.start) >= rules.from {
			which = i
		}
	}
	rules := run.rules[which]
	origintest.Wait(r.Context(), rules.takes)
	if rules.fails && time.Since(run.start) < time.Hour {
		origintest.Reset(w, r)
		return
	}
	body := fmt.Sprintf("user-agent: *\ncrawl-delay: %d\ndisallow: %s\n#", rules.delay, rules.disallow)
	w.Header().Set("Cache-Control", "max-age=300")
	io.WriteString(w, body+strings.Repeat("x", rulesSize+which-len(body)))
}

func (run *laneRun) servePage(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.Header.Get("Id"))
	if err != nil || id >= len(run.requests) {
		return // all is well: it looks whether the lane is alive
	}
	io.Copy(io.Discard, r.Body) // before the connection may be closed
	tries := 0
	run.note(func() { run.tries[id]++; tries = run.tries[id] })
	q := run.requests[id]
	if !origintest.Wait(r.Context(), q.takes) {
		return
	}
	switch {
	case q.status == 0 && tries == 1:
		origintest.Reset(w, r)
	case q.status == 0:
		io.WriteString(w, "at last\n")
	case q.retryAfter > 0:
		origintest.Status(q.status, "Retry-After", fmt.Sprint(q.retryAfter))(w, r)
	default:
		origintest.Status(q.status)(w, r)
	}
}

// request makes a request.
func (run *laneRun) request(i int, f *fate) {
	q := run.requests[i]
	origintest.Wait(run.t.Context(), q.start)
	ctx := newParentContext(i)
	f.ctx, f.began = ctx, time.Now()
	defer time.AfterFunc(patience, func() { ctx.cancel(errHangs) }).Stop()
	if q.cancel > 0 {
		defer time.AfterFunc(q.cancel, func() { ctx.cancel(context.Canceled) }).Stop()
	}
	if q.expire > 0 {
		ctx.deadline = f.began.Add(q.expire)
		defer time.AfterFunc(q.expire, func() { ctx.cancel(context.DeadlineExceeded) }).Stop()
	}
	req, _ := http.NewRequestWithContext(ctx, "GET", "http://example.com"+q.path, nil)
	req.Header.Set("Id", strconv.Itoa(i))
	if q.post {
		c := &call{}
		req.Method = "POST"
		sender{again: q.again}.addBody(req, c)
		defer func() { f.bodies = c.bodies }()
	}
	resp, err := run.trs[q.by].RoundTrip(req)
	f.returned, f.ended, f.err = time.Now(), time.Now(), err
	if ctx.Err() == errHangs {
		f.err = errHangs
	}
	if err != nil {
		return
	}
	f.status = resp.StatusCode
	if after, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		f.retryAfter = time.Duration(after) * time.Second
	}
	origintest.Wait(ctx, q.holds)
	if q.reads {
		io.Copy(io.Discard, resp.Body)
	}
	f.ended = time.Now()
	resp.Body.Close()
}

// check lets the rules be asked for again, if it is time.
func (run *laneRun) check(i int, at time.Duration) {
	origintest.Wait(run.t.Context(), at)
	u := &url.URL{Scheme: "http", Host: "example.com", Path: "/"}
	run.trs[i%len(run.trs)].Check(run.t.Context(), u)
}

// await waits until all have ended, and panics if one does not, though its context has.
func (run *laneRun) await(all *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(patience + time.Hour):
		panic("a request hangs, though its context has ended")
	}
}

// read takes the pages from the log.
func (run *laneRun) read() {
	for _, a := range run.web.Log().Pages() {
		id, _ := strconv.Atoi(a.Header.Get("Id"))
		run.pages = append(run.pages, lanePage{a.Time, id, a.URI})
	}
}

// revive looks whether each Transport can have as many requests under way as it may.
func (run *laneRun) revive() {
	time.Sleep(time.Hour) // until all breaks are over
	hanging, cancel := context.WithTimeoutCause(context.Background(), patience, errHangs)
	defer cancel()
	waiting := polite.With(hanging, polite.Options{MaxWait: polite.Forever}) // the lane may have learned a long gap
	visit := func(i int) io.Closer {
		req, _ := http.NewRequestWithContext(waiting, "GET", "http://example.com/alive", nil)
		req.Header.Set("Id", "1000000")
		resp, err := run.trs[i].RoundTrip(req)
		if err != nil {
			run.errors = append(run.errors, fmt.Sprintf("alive: transport %d: %v", i, err))
			return nil
		}
		return resp.Body
	}
	for i := range 12 { // after a break, few may be under way until there are good answers
		if body := visit(i % len(run.trs)); body != nil {
			body.Close()
		} else {
			return
		}
	}
	for i, tr := range run.transports {
		n := max(tr.slots, 1)
		if tr.conns > 0 {
			n = min(n, tr.conns)
		}
		var bodies []io.Closer
		for range n {
			if body := visit(i); body != nil {
				bodies = append(bodies, body)
			}
		}
		for _, body := range bodies {
			body.Close()
		}
	}
}

// leave looks what is left. The contexts of the requests do not end, so the end of the bubble
// panics if a goroutine waits for that.
func (run *laneRun) leave() {
	for _, tr := range run.trs {
		tr.CloseIdleConnections()
	}
	time.Sleep(time.Minute)
	run.mu.Lock()
	defer run.mu.Unlock()
	if run.waits != 0 {
		run.errors = append(run.errors, fmt.Sprintf("waits: %d have begun, and are not over", run.waits))
	}
	for i, f := range run.fates {
		if n := f.ctx.count(); n != 0 {
			run.errors = append(run.errors, fmt.Sprintf("left: %d contexts are derived from that of request %d, which has ended", n, i))
		}
		for j, b := range f.bodies {
			if n := b.Closed.Load(); n != 1 {
				run.errors = append(run.errors, fmt.Sprintf("bodies: %d of request %d is closed %d times", j, i, n))
			}
		}
	}
}

// String lists what happened.
func (run *laneRun) String() string {
	run.mu.Lock()
	defer run.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "stored %v, breaks %v\n", run.stored, run.breaks)
	for i, tr := range run.transports {
		fmt.Fprintf(&b, "transport %d: gap %v, maxWait %v, slots %d, conns %d, dials %v, kept %v, HTTP/2 %v\n", i, tr.gap, tr.maxWait, tr.slots, tr.conns, tr.dials, tr.kept, tr.http2)
	}
	type event struct {
		at   time.Time
		what string
	}
	var events []event
	tell := func(at time.Time, format string, args ...any) {
		events = append(events, event{at, fmt.Sprintf(format, args...)})
	}
	for i, f := range run.fates {
		q := run.requests[i]
		tell(f.began, "%d begins, by %d, %s, post %v, again %v, cancel %v, expire %v", i, q.by, q.path, q.post, q.again, q.cancel, q.expire)
		tell(f.returned, "%d returns %d, Retry-After %v, %v", i, f.status, f.retryAfter, f.err)
		tell(f.ended, "%d ends", i)
	}
	for _, d := range run.dials {
		tell(d.at, "%d dials", d.by)
	}
	for _, p := range run.pages {
		tell(p.at, "%d ARRIVES, takes %v", p.id, run.requests[p.id].takes)
	}
	for _, a := range run.web.Log().Robots() {
		tell(a.Time, "robots.txt ARRIVES")
	}
	for _, a := range run.asked {
		tell(a.at, "robots.txt is known, after %v: %+v", a.took, run.known(a.at, true))
	}
	slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
	for _, e := range events {
		fmt.Fprintf(&b, "%14v %s\n", e.at.Sub(run.start), e.what)
	}
	return b.String()
}

// Package queue fetches many URLs with few workers. A worker never waits for a slow site while
// the page of another could be fetched: the queue hands out the requests whose turn has come,
// and parks the others, with what a URL needs and not with a goroutine.
//
//	q := queue.Queue[int]{Client: polite.Wrap(nil, "ExampleBot/1.0 (+https://example.com/bot)")}
//	err := q.Push("https://example.com/", 0) // the value is yours: here, how deep the page is
//	// handle err
//	err = q.Run(ctx, 16, func(ctx context.Context, page queue.Item[int], resp *http.Response, err error) error {
//		// save resp, or look at err; push the links of the page
//		return nil
//	})
//
// # What comes back, and what is handed on
//
// The queue asks again for what was not sent, and hands on whatever was sent.
//
//   - A response goes to the handler, whatever its status. A 429 is a response, too: to ask for
//     the page again, push it. The site has its break first.
//   - An error of the connection goes to the handler.
//   - A [polite.DelayError] brings the item back at its Turn, and a [polite.NoRulesError] at its
//     Next. All items of the lane stay until then, and other lanes go on. The handler gets the
//     refusal if the lane had to wait for longer than Options.MaxWait since its last request was
//     sent. It gets a NoRulesError at once if the host does not exist or is private.
//   - Any other refusal goes to the handler: a [polite.DisallowedError], a [polite.UseError].
//   - If a hop of a redirect is refused, the item waits in the lane of the hop and goes on there.
//     It can do so ten times, if the URL has no more than 8 KiB, and no password that the site made
//     up. Otherwise the handler gets the refusal.
//
// # Lanes
//
// A lane has the items that take turns: those of one origin, or of one [Queue.Key]. They are sent
// in the order in which they were pushed, also where a redirect leads from one lane into another.
// To keep the order, the next item of a lane is tried when the one before has its connection. The
// queue learns this from the GotConn hook of net/http/httptrace, as polite does. If the Base of
// the Transport does not call it, a lane has one request under way at a time.
//
// Of a lane whose robots.txt is not known, one worker waits up to three seconds for it, as for a
// page. In a fleet it also waits as long as it takes to reserve a turn, and never over a second.
//
// For more than 100 workers, let [polite.Cache] have as many MaxFetches. For more than 20,000 sites
// that ask for a delay, let it have 4 KB of MaxBytes for each: a Cache that is full forgets gaps.
package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite"
)

// A Queue has the URLs that are to be fetched, each with a value of yours. Make one with a
// literal. Do not change its fields after its first use, and do not copy it. It is safe for
// concurrent use.
type Queue[T any] struct {
	// Client sends the requests. Its Transport must be a *polite.Transport, or lead to one. It
	// is required.
	Client *http.Client

	// Key returns the lane of a URL. If nil, it is the origin: scheme, host and port. If the
	// Transport has a Pace.Key, let Key return the same. Key must not change the URL. Several
	// goroutines may call it at the same time.
	Key func(*url.URL) string

	// Options are those of all requests, instead of any that the context of Run has. Their
	// MaxWait is the longest time that a lane waits without sending a request, until the handler
	// gets its refusals. Zero is an hour. With a negative value, the lane waits for ever.
	Options polite.Options

	mu      sync.Mutex
	wake    sync.Cond // a lane is ready, or the workers have to end
	running bool
	over    bool   // no item was left
	last    uint64 // number of the item that was pushed last
	left    int    // items that were pushed and not handled
	done    int
	under   map[uint64]Item[T] // items that a worker has, by number
	lanes   lanes[T]
}

// An Item is a URL that was pushed.
type Item[T any] struct {
	URL   string // as it was pushed; redirects may lead to another: see Response.Request
	Value T
}

// Push adds a URL, which must be absolute and of http or https. It may be called at any time, also
// by the handler. Equal URLs are not told apart: each is fetched.
func (q *Queue[T]) Push(rawURL string, value T) error {
	u, err := url.Parse(rawURL)
	if err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("queue: %.100q is not the URL of a page: write it as in https://example.com/", u.Redacted())
	}
	key := q.key(u, rawURL)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	q.left++
	l := q.lanes.get(key)
	q.lanes.add(l, task[T]{Item: Item[T]{rawURL, value}, number: q.last})
	q.offer(l)
	return nil
}

// key returns the lane of u. It shares the memory of text, which u was parsed from, if it can.
func (q *Queue[T]) key(u *url.URL, text string) string {
	if q.Key != nil {
		return q.Key(u)
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	key := u.Scheme + "://" + host
	if strings.HasPrefix(text, key) {
		return text[:len(key)]
	}
	return key
}

// Run fetches all items with so many workers, and calls handle for each: with a response, or with
// an error. Workers call handle at the same time. ctx is that of the requests. Run closes the body
// of the response when handle returns.
//
// Run returns nil when all items are handled, also those that were pushed meanwhile. If ctx ends,
// it returns context.Cause. If handle returns an error, Run ends and returns this error, and the
// item is not handled. If handle panics, Run ends and panics. However it ends, no worker is left,
// and [Queue.Left] has all items that were not handled: those under way, too. Run can be called
// again then. While it runs, another call returns an error.
func (q *Queue[T]) Run(ctx context.Context, workers int, handle func(ctx context.Context, item Item[T], resp *http.Response, err error) error) error {
	if err := q.begin(workers); err != nil {
		return err
	}
	defer q.end()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(ctx, q.wakeAll)()
	var crew sync.WaitGroup
	var once sync.Once
	var panicked any
	exited := false
	work := func() {
		returned := false
		defer func() {
			if p := recover(); !returned {
				once.Do(func() { panicked, exited = p, p == nil })
				stop(errBroken)
			}
		}()
		for v := q.next(ctx); v != nil; v = q.next(ctx) {
			if err := q.visit(ctx, v, handle); err != nil {
				stop(err)
			}
		}
		returned = true
	}
	for q.goesOn(ctx) {
		for range workers {
			crew.Go(work)
		}
		crew.Wait()
	}
	switch {
	case panicked != nil:
		panic(panicked)
	case exited:
		runtime.Goexit() // as handle did, by t.FailNow for example
	}
	if q.Progress().Left == 0 {
		return nil
	}
	return context.Cause(ctx)
}

var errBroken = errors.New("queue: the handler did not return")

// begin lets one Run begin at a time.
func (q *Queue[T]) begin(workers int) error {
	switch {
	case q.Client == nil || q.Client.Transport == nil:
		return errors.New("queue: Client has no Transport: make it by polite.Wrap, or give it a *polite.Transport")
	case workers < 1:
		return fmt.Errorf("queue: %d workers fetch nothing: use one or more", workers)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running {
		return errors.New("queue: Run is called while it runs: call Push, or make a second Queue")
	}
	q.running, q.wake.L = true, &q.mu
	q.lanes.alarm, q.lanes.set = time.AfterFunc(time.Hour, q.ring), time.Time{}
	q.lanes.setAlarm()
	return nil
}

func (q *Queue[T]) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running = false
	q.lanes.alarm.Stop()
	q.lanes.alarm = nil
}

// goesOn reports whether there are items for a crew of workers. All of a crew end together, once none is
// left: if one is pushed then, it gets a whole crew, and not the workers that happen to be there.
func (q *Queue[T]) goesOn(ctx context.Context) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = q.left == 0
	return !q.over && ctx.Err() == nil
}

func (q *Queue[T]) wakeAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wake.Broadcast()
}

// ring lets lanes go on whose time has come.
func (q *Queue[T]) ring() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.look()
	q.lanes.set = time.Time{} // the alarm has rung
	q.lanes.setAlarm()
}

// look makes lanes ready whose time has come. It is called with q.mu locked.
func (q *Queue[T]) look() {
	for range q.lanes.due(time.Now()) {
		q.wake.Signal()
	}
}

// offer lets l be tried if nothing keeps it. It is called with q.mu locked.
func (q *Queue[T]) offer(l *lane[T]) {
	if q.lanes.offer(l) && q.running {
		q.wake.Signal()
	}
}

// next waits for an item whose turn has come. It returns nil when all items are handled, or ctx
// ends.
func (q *Queue[T]) next(ctx context.Context) *visit[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	for ctx.Err() == nil && !q.over {
		q.look()
		if l := q.lanes.take(); l != nil {
			v := &visit[T]{lane: l, task: l.pop(), patience: l.waits()}
			if q.under == nil {
				q.under = make(map[uint64]Item[T])
			}
			q.under[v.task.number] = v.task.Item
			return v
		}
		q.wake.Wait()
	}
	return nil
}

// Left returns the items that were pushed and not handled, in the order in which they were
// pushed. It returns those of the moment in which the loop begins, so the loop may push. To go on
// in another process, push them there. An item that was redirected begins again.
func (q *Queue[T]) Left() iter.Seq[Item[T]] {
	return func(yield func(Item[T]) bool) {
		for _, t := range q.tasks() {
			if !yield(t.Item) {
				return
			}
		}
	}
}

func (q *Queue[T]) tasks() []task[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make([]task[T], 0, q.left)
	for _, l := range q.lanes.all {
		all = append(append(all, l.back...), l.tasks...)
	}
	for number, item := range q.under {
		all = append(all, task[T]{Item: item, number: number})
	}
	slices.SortFunc(all, func(a, b task[T]) int { return cmp.Compare(a.number, b.number) })
	return all
}

// Progress tells how far the queue is.
type Progress struct {
	Done     int       // items that were handled
	Left     int       // items that were not, all together
	UnderWay int       // of these, items that workers have
	Parked   int       // of these, items whose lane waits for its turn
	Next     time.Time // when the first of these lanes goes on; zero if none waits
}

// Progress tells how far the queue is. It is cheap.
func (q *Queue[T]) Progress() Progress {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := Progress{Done: q.done, Left: q.left, UnderWay: len(q.under), Parked: q.lanes.waiting}
	if first := q.lanes.first(); first != nil {
		p.Next = first.until
	}
	return p
}

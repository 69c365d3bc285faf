// Package queue fetches many URLs with few workers. A worker never waits for a slow site while the page
// of another could be fetched: the queue hands out the requests whose turn has come, and parks the
// others. A parked URL takes a few octets, and no goroutine.
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
// The queue sends a request again if it was not sent, and hands on the result of every request that was
// sent.
//
//   - A response goes to the handler, whatever its status. A 429 is a response, too. To ask for the
//     page again, call [Queue.PushAgain]: it is sent after the break of the site.
//   - An error of the connection goes to the handler.
//   - A [polite.DelayError] brings the item back at its Turn, and a [polite.NoRulesError] at its
//     Next. All items of the lane stay until then, and other lanes go on. The handler gets the
//     refusal if the lane had to wait for longer than Options.MaxWait with no request under way: it says
//     what keeps the lane, such as a gap or a break. It gets a NoRulesError at once if the host does not
//     exist or is private.
//   - Any other refusal goes to the handler: a [polite.DisallowedError], for example. So does the error of
//     Queue.Request, and ErrBudget. A refusal has no *url.Error around it: it names the URL itself.
//   - If a hop of a redirect is refused, the item waits in the lane of the hop and goes on there, as
//     http.Client would: with a password that the site gives in its redirect, and as one of its ten
//     redirects. Client.CheckRedirect gets the method and the URL of each request before, and no more. If
//     the URL is over 256 octets longer than that of the item, the handler gets the refusal.
//
// A Trace and a Logger of the Transport hear of one request for each item, however often the queue tries it:
// it is judged, it waits, and it is sent or refused. What is put off is not refused.
//
// # A crawl that ends, and goes on
//
// [Queue.PushNew] adds no URL twice. Queue.Most bounds what is taken of each lane, so that a calendar without
// end has one. [Queue.PushAgain] counts tries. With Queue.Journal, the queue goes on where it was when the
// process ends, also by kill -9.
//
// # Lanes
//
// A lane has the items that take turns: those of one origin, or of one [Queue.Key]. The queue sends
// them in the order in which they were pushed. A redirect into another lane is followed if it can be sent at
// once. If not, its item goes on in the other lane, in the order of the push: no worker waits for the turn. To
// keep the order, it tries the next item of a lane when the item before has its connection. The
// queue learns this from the GotConn hook of net/http/httptrace, as polite does. If the Base of the
// Transport does not call it, a lane has one request under way at a time.
//
// If the robots.txt of a lane is not known, one worker waits for it for up to three seconds, as for a
// page. In a fleet, a worker also waits until a turn is reserved, for up to a second. If another
// process has taken the turn of a lane, the queue tries a little earlier for the next turn, so that
// each process has its share.
//
// For more than 100 workers, let [polite.Cache] have as many MaxFetches. For more than 20,000 sites
// that ask for a delay, let it have 4 KB of MaxBytes for each: a Cache that is full forgets gaps.
//
//	queue.go    the queue, its workers, and what it tells
//	push.go     a URL comes
//	known.go    what was pushed before, by the normal form of URLs
//	budget.go   what is taken of a lane, and the shapes of URLs
//	request.go  the request of an item, or of the hop where it goes on
//	visit.go    a worker tries an item: it is put off, or handled
//	lanes.go    the items of a lane, and when it is tried
//	journal.go  what outlives the process
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
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store"
)

// A Queue has the URLs that are to be fetched, each with a value of yours. Make one with a
// literal. Do not change its fields after its first use, and do not copy it. It is safe for
// concurrent use.
type Queue[T any] struct {
	// Client sends the requests. It is required. Its Transport is that of polite.Wrap, a *polite.Transport,
	// or one that sends through a *polite.Transport.
	Client *http.Client

	// Key returns the lane of a URL. If nil, it is the origin: scheme, host and port. If the
	// Transport has a Pace.Key, let Key return the same. Key must not change the URL, nor use the
	// queue. Several goroutines may call it at the same time.
	Key func(*url.URL) string

	// Request returns the request for an item: with a method, a header or a body of yours. If nil, it is a
	// GET. ctx is that of the request. Request is called for each try and each hop, so it should be quick,
	// make each body anew, and do nothing else. Its error goes to the handler. The URL should be that of the
	// item: at a hop, the queue puts the URL of the hop in its place, and leaves out the method, the body and
	// the credentials that http.Client leaves out there. Several goroutines may call Request at the same time.
	Request func(ctx context.Context, item Item[T]) (*http.Request, error)

	// Options are the Options of all requests, instead of any in the context of Run. Their MaxWait is the
	// longest time that a lane waits with no request under way. Then the handler gets the refusals of the
	// lane. Zero is ten minutes, so that a site that is down does not keep Run from its end for longer.
	// Push the refused items on another day. With polite.Forever, the lane waits for ever.
	Options polite.Options

	// Most is what the queue takes of each lane at most, so that a trap ends. The zero Budget bounds nothing. For
	// each lane the queue keeps a hundred octets then, and for each of its shapes some twenty.
	Most Budget

	// Journal keeps the items, what PushNew knows and what was taken of the Budget, so that the queue goes on
	// where it was when the process ends, also by kill -9: see boltstore.Store.Journal. Run writes to it when
	// it begins and ends, and each second. No item is lost, since an item is removed together with what its
	// handler has pushed, or later. Items that were handled in the last second may be handled again. Push seeds
	// by PushNew at each start. Values are kept as encoding/json writes them. The first call of a method reads
	// the Journal, which is then that of this queue alone: a second queue gets an error. If it cannot be read or
	// written, Push and Run return an error, and Left, Lanes and Progress have nothing. If nil, the queue is in
	// memory alone.
	Journal store.Journal

	mu      sync.Mutex
	wake    sync.Cond // a lane is ready, or the workers have to end
	running bool
	idle    bool   // no item was left
	last    uint64 // number of the item that was pushed last
	left    int    // items that were pushed and not handled
	done    int
	under   map[*visit[T]]bool // what workers have
	over    int                // items that were over budget
	changes map[string][]byte  // that the Journal does not have yet
	spent   map[string]*spent  // by the keys of lanes; nil without a Budget
	known   known              // what PushNew has added

	saving  sync.Mutex // one at a time writes to the Journal, without mu
	loading sync.Once
	loaded  error // of the Journal

	lanes  map[string]*lane[T] // those that have items
	ready  []*lane[T]          // lanes that nothing keeps
	came   []*lane[T]          // lanes that were parked, and whose time has come
	other  bool                // the next to be tried is of ready, if both have one
	parked pile[*lane[T]]
	alarm  *time.Timer // rings when the first of them is to be tried, or before; nil if nobody would hear it
}

// An Item is a URL that was pushed.
type Item[T any] struct {
	URL   string // as it was pushed; redirects may lead to another: see Response.Request
	Value T
	Tries int // how often PushAgain has pushed it: 0 at first
}

// Run fetches all items with so many workers, and calls handle for each: with a response, or with
// an error. Workers call handle at the same time. ctx is that of the requests. Run closes the body
// of the response when handle returns.
//
// Run returns nil when all items are handled, also those that were pushed meanwhile. If ctx ends, it
// returns context.Cause. If handle returns an error, Run ends and returns this error, and the item is
// not handled. If handle panics, Run ends and panics. However Run ends, no worker is left, and
// [Queue.Left] has all items that were not handled, also those that were under way. Run can be called
// again then. While Run runs, another call returns an error.
func (q *Queue[T]) Run(ctx context.Context, workers int, handle func(ctx context.Context, item Item[T], resp *http.Response, err error) error) error {
	isPlain := q.Client != nil
	if isPlain {
		_, isPlain = q.Client.Transport.(*http.Transport)
	}
	switch {
	case q.Client == nil || q.Client.Transport == nil:
		return errors.New("queue: Client has no Transport: make it by polite.Wrap, or give it a *polite.Transport")
	case isPlain:
		return errors.New("queue: Client has a plain http.Transport: make it by polite.Wrap, or give it a *polite.Transport")
	case workers < 1:
		return fmt.Errorf("queue: %d workers fetch nothing: use one or more", workers)
	case handle == nil:
		return errors.New("queue: handle is nil: pass a function, which gets each response")
	case !q.begin():
		return errors.New("queue: Run is called while it runs: call Push, or make a second Queue")
	}
	defer q.end()
	if err := cmp.Or(q.load(), q.save(ctx)); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(ctx, q.wakeAll)()
	save := q.keep(ctx, func(err error) { stop(err) })
	var crew sync.WaitGroup
	var once sync.Once
	fail := func() {}
	work := func() {
		returned := false
		defer func() {
			if p := recover(); !returned {
				once.Do(func() {
					if fail = func() { panic(p) }; p == nil {
						fail = runtime.Goexit // as handle did, by t.FailNow for example
					}
				})
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
	q.endWaits(context.Cause(ctx))
	err := save()
	fail()
	if err != nil || q.Progress().Left == 0 {
		return err
	}
	return context.Cause(ctx)
}

var errBroken = errors.New("queue: the handler did not return")

// begin lets one Run begin at a time, and reports whether it does.
func (q *Queue[T]) begin() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running {
		return false
	}
	q.running, q.wake.L = true, &q.mu
	q.alarm = time.AfterFunc(0, q.ring)
	return true
}

func (q *Queue[T]) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running = false
	q.alarm.Stop()
	q.alarm = nil
}

// endWaits tells that the items which are left do not wait any longer.
func (q *Queue[T]) endWaits(cause error) {
	for _, t := range q.tasks() {
		if t.way != nil {
			t.way.Over(cause)
		}
	}
}

// goesOn reports whether there are items for a crew of workers. All of a crew end together, once none is
// left: if one is pushed then, it gets a whole crew, and not the workers that happen to be there.
func (q *Queue[T]) goesOn(ctx context.Context) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.idle = q.left == 0
	return !q.idle && ctx.Err() == nil
}

func (q *Queue[T]) wakeAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wake.Broadcast()
}

// next waits for an item whose turn has come. It returns nil when all items are handled, or ctx
// ends.
func (q *Queue[T]) next(ctx context.Context) *visit[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	for ctx.Err() == nil && !q.idle {
		q.due()
		if l := q.take(); l != nil {
			v := &visit[T]{lane: l, task: l.pop(), patience: cmp.Or(l.patience, leastWait), answers: l.answers}
			if q.under == nil {
				q.under = make(map[*visit[T]]bool)
			}
			q.under[v] = true
			return v
		}
		q.wake.Wait()
	}
	return nil
}

// Left returns the items that were pushed and not handled, in the order in which they were pushed, and why
// the lane of each waits: "" if it does not. These are the items at the moment when the loop begins, so the
// loop may push. To go on in another process, push the items there. An item that was redirected begins again
// at its first URL.
func (q *Queue[T]) Left() iter.Seq2[Item[T], string] {
	return func(yield func(Item[T], string) bool) {
		for _, t := range q.tasks() {
			if !yield(t.item(), t.why) {
				return
			}
		}
	}
}

// A leftover is a task that is not handled, and why its lane waits.
type leftover[T any] struct {
	task[T]
	why string
}

func (q *Queue[T]) tasks() []leftover[T] {
	q.load() // its error is that of Run
	q.mu.Lock()
	defer q.mu.Unlock()
	all := make([]leftover[T], 0, q.left)
	for _, l := range q.lanes {
		for _, t := range l.tasks {
			all = append(all, leftover[T]{t, l.why})
		}
	}
	for v := range q.under {
		all = append(all, leftover[T]{task: v.task})
	}
	slices.SortFunc(all, func(a, b leftover[T]) int { return cmp.Compare(a.number, b.number) })
	return all
}

// Progress tells how far the queue is. With a Journal, Done and Over begin anew in each process.
type Progress struct {
	Done     int       // items that were handled
	Left     int       // items that were not handled
	UnderWay int       // of Left: items that workers have
	Parked   int       // of Left: items whose lane waits for its turn, or for an answer
	Over     int       // how often Push has returned ErrBudget, or a handler has got it: twice for a URL that is pushed twice
	Next     time.Time // when the first of these lanes goes on; zero if none waits, or if all wait for an answer
}

// Progress tells how far the queue is. It looks at each lane that waits: a thousand lanes take some
// microseconds.
func (q *Queue[T]) Progress() Progress {
	q.load()
	q.mu.Lock()
	defer q.mu.Unlock()
	p := Progress{Done: q.done, Left: q.left, UnderWay: len(q.under), Over: q.over}
	for _, l := range q.parked {
		p.Parked += len(l.tasks)
		if next := l.next(); p.Next.IsZero() || !next.IsZero() && next.Before(p.Next) {
			p.Next = next
		}
	}
	return p
}

// A Lane has the items that take turns.
type Lane struct {
	Key      string    // what Queue.Key returns, or the origin
	Left     int       // items that were not handled
	UnderWay int       // of Left: items that workers have
	Next     time.Time // when its other items go on, as far as the queue knows; zero if they do not wait, or wait for an answer

	Cause polite.Cause // why they wait; "" if they do not, or if robots.txt cannot be had
	Why   string       // why they wait, in a few words; "" if they do not
}

// Lanes returns the lanes that have items when the loop begins, in no order. [polite.Cache.Lanes] has
// what their sites bear, and the lanes of requests outside the queue.
func (q *Queue[T]) Lanes() iter.Seq[Lane] {
	return func(yield func(Lane) bool) {
		q.load()
		q.mu.Lock()
		all := make([]Lane, 0, len(q.lanes))
		for _, l := range q.lanes {
			all = append(all, Lane{l.key, len(l.tasks) + int(l.under), int(l.under), l.next(), l.cause, l.why})
		}
		q.mu.Unlock()
		slices.Values(all)(yield)
	}
}

package queue

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/tries"
)

const (
	// usualMaxWait is how long a lane waits if Options do not say.
	usualMaxWait = 10 * time.Minute

	// maxHops is how often a task goes on at a hop. http.Client counts only the redirects that
	// it follows without a refusal between them.
	maxHops = 10

	// maxHopURL is how much longer than its own a URL may be that an item keeps of a hop. A site may send
	// a URL of 256 KiB for each page.
	maxHopURL = 256
)

// A visit is a task that a worker has.
type visit[T any] struct {
	lane     *lane[T]
	task     task[T]
	patience time.Duration
	passed   bool // the next task of the lane may be tried
	moved    bool // the task is in a lane again
	handled  bool
}

// visit sends a request, and handles what comes of it, or puts it off. The error is that of
// handle.
func (q *Queue[T]) visit(ctx context.Context, v *visit[T], handle func(context.Context, Item[T], *http.Response, error) error) error {
	defer q.leave(v) // also if a function of the user panics
	resp, err := q.send(ctx, v)
	if resp != nil {
		q.count(v.lane.key, resp)
		defer resp.Body.Close()
	}
	if ctx.Err() != nil || q.putOff(v, err) {
		return nil
	}
	if of, ok := errors.AsType[*url.Error](err); ok && errors.Is(err, polite.ErrRefused) {
		err = of.Err // which names the URL, too
	}
	q.answered(v, resp, err)
	v.task.way.GiveUp(err)
	if err := handle(ctx, v.task.item(), resp, err); err != nil {
		return err
	}
	v.handled = true
	return nil
}

// send sends the request of a visit, if its turn has come.
func (q *Queue[T]) send(ctx context.Context, v *visit[T]) (*http.Response, error) {
	if err := q.exhausted(v.lane.key); err != nil {
		return nil, err
	}
	options := q.Options
	options.MaxWait = rulesWait
	ctx = tries.With(polite.With(ctx, options), &v.task.way.Request, v.patience, leastWait)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { // polite's own hook has let it pass
			v.task.way.Over(nil)
			q.mu.Lock()
			defer q.mu.Unlock()
			q.pass(v, true)
		},
	})
	req, err := q.request(ctx, &v.task)
	if err != nil {
		return nil, err
	}
	return q.Client.Do(req)
}

// pass lets the next task of a lane be tried. sent says that the request of v was sent, or could have
// been. q.mu is locked.
func (q *Queue[T]) pass(v *visit[T], sent bool) {
	if v.step(sent) {
		q.offer(v.lane)
	}
}

// step ends the trial of a task, and reports whether it does.
func (v *visit[T]) step(sent bool) bool {
	if v.passed {
		return false
	}
	v.passed, v.lane.tried = true, false
	if sent {
		v.lane.tries, v.lane.patience = 0, 0
		if len(v.lane.turns) == 0 { // else it goes on waiting for the next of them
			v.lane.cause, v.lane.why = "", ""
		}
	}
	return true
}

// putOff puts a visit off that was refused only for now, and reports whether it does.
func (q *Queue[T]) putOff(v *visit[T], err error) bool {
	at, turn, forNow := polite.RetryAt(err)
	d, _ := polite.DecisionOf(err)
	guess := d.Gap == 0 && d.Reason == polite.ReasonDelayed // turn is when an answer is likely to come
	switch {
	case !forNow:
		return false
	case d.From != "":
		return q.goOn(v, at, err, turn, guess)
	}
	if !q.waits(v, &turn, guess, d.Gap) {
		return false
	}
	v.task.way.PutOff()
	q.mu.Lock()
	defer q.mu.Unlock()
	v.lane.cause, v.lane.why = why(err)
	v.step(false)
	q.move(v, v.lane)
	q.park(v.lane, turn, guess)
	return true
}

// waits reports whether a visit that was refused until turn is put off. It sets turn to the time of the next
// try.
func (q *Queue[T]) waits(v *visit[T], turn *time.Time, guess bool, gap time.Duration) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	*turn = v.lane.refused(*turn, gap, time.Now())
	most := q.Options.MaxWait
	if most <= 0 {
		most = usualMaxWait
	}
	forAnswer := guess && v.lane.under > 1 // to another request, however long it takes
	return forAnswer || v.lane.first(*turn).Sub(v.lane.since) <= most
}

// why returns what keeps the lane of a request that was refused for now.
func why(err error) (polite.Cause, string) {
	if late, ok := errors.AsType[*polite.DelayError](err); ok {
		if late.Cause == polite.CauseDeadline { // that of the try, and not of the lane
			return "", late.Why
		}
		return late.Cause, late.Why
	}
	d, _ := polite.DecisionOf(err)
	text := d.RobotsURL + " cannot be had"
	switch {
	case d.Err != nil:
		text = fmt.Sprintf("%s cannot be had: %v", d.RobotsURL, d.Err)
	case d.Status != 0:
		text = fmt.Sprintf("%s has answered %d", d.RobotsURL, d.Status)
	}
	return "", printable.Text(text)
}

// goOn lets a task go on at the hop that was refused, in the lane of the hop. To begin again would
// fetch the first pages again, and come to the same hop. It reports whether the task goes on.
func (q *Queue[T]) goOn(v *visit[T], at *url.URL, err error, turn time.Time, guess bool) bool {
	next, way := at.String(), v.task.way
	if q.Request != nil {
		way.like = requestOf(way.Refused())
	}
	if way.hops >= maxHops || len(next) > len(v.task.URL)+maxHopURL {
		return false
	}
	d, _ := polite.DecisionOf(err)
	key := q.key(at, next)
	way.PutOff()
	q.mu.Lock()
	defer q.mu.Unlock()
	v.step(true)
	to := q.lane(key)
	way.url, way.hops = next, way.hops+1
	q.move(v, to)
	if d.Reason != polite.ReasonUnknown {
		to.cause, to.why = why(err)
		q.park(to, turn, guess)
	}
	q.offer(to)
	q.offer(v.lane)
	return true
}

// move puts the task of a visit into a lane.
func (q *Queue[T]) move(v *visit[T], to *lane[T]) {
	v.moved = true
	heap.Push(&to.tasks, v.task)
	delete(q.under, v)
}

// answered notes that the request of a visit was answered, or was refused for good.
func (q *Queue[T]) answered(v *visit[T], resp *http.Response, err error) {
	_, _, forNow := polite.RetryAt(err) // it was given up, and the next is refused, too
	var gone uint64
	if resp != nil && (resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone) {
		u, _ := url.Parse(v.task.URL) // push has parsed it
		gone = digest(u)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known.has(gone) {
		q.know(gone | 1)
	}
	q.pass(v, !forNow)
	q.stir(v.lane)
}

// leave ends a visit. If it was neither handled nor put off, its task stays.
func (q *Queue[T]) leave(v *visit[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	v.step(false)
	v.lane.under--
	if v.handled {
		delete(q.under, v)
		q.stir(v.lane) // the body is closed
		q.done++
		q.note(keyOf(ofItem, v.task.number), nil)
		if q.left--; q.left == 0 {
			q.idle = true
			q.wake.Broadcast()
		}
	} else if !v.moved {
		q.move(v, v.lane)
	}
	q.offer(v.lane)
}

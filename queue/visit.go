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

	// maxHopURL is how much longer than its own a URL may be that an item keeps of a hop. A site may send
	// a URL of 256 KiB for each page.
	maxHopURL = 256
)

// A visit is a task that a worker has.
type visit[T any] struct {
	lane     *lane[T]
	task     task[T]
	patience time.Duration
	answers  uint8 // of the lane when it was tried
	passed   bool  // the next task of the lane may be tried
	moved    bool  // the task is in a lane again
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
	way, client := v.task.way, q.Client
	var first *url.URL
	if len(way.via) > 0 {
		first, client = way.via[0].URL, way.following(client)
	}
	ctx = tries.With(polite.With(ctx, options), &way.Request, first, v.patience, leastWait)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { // polite's own hook has let it pass
			way.Over(nil)
			q.mu.Lock()
			defer q.mu.Unlock()
			q.pass(v, true)
		},
	})
	req, err := q.request(ctx, &v.task)
	if err != nil {
		return nil, err
	}
	return client.Do(req)
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
		v.lane.tries, v.lane.patience, v.lane.since = 0, 0, time.Time{}
	}
	return true
}

// putOff puts a visit off that was refused only for now, and reports whether it does. A task that was refused at a
// hop goes on there, in the lane of the hop. To begin again would fetch the first pages again, and come to the
// same hop.
func (q *Queue[T]) putOff(v *visit[T], err error) bool {
	at, turn, forNow := polite.RetryAt(err)
	if !forNow {
		return false
	}
	way, key := v.task.way, v.lane.key
	last := way.Refused()
	hop := last.Of != nil && last.Of.Response != nil
	if hop {
		next := at.String()
		if key = q.key(at, next); len(next) > len(v.task.URL)+maxHopURL {
			return false
		}
	}
	w := wait{until: turn, awaits: last.Awaits}
	w.cause, w.why = why(err)
	if d, _ := polite.DecisionOf(err); hop && d.Reason == polite.ReasonUnknown {
		w.until = time.Time{} // its robots.txt is waited for in its own lane
	} else if !q.waits(v, key, &w, last.Reserves) {
		return false
	}
	if hop {
		way.goOn(at, last.Of, q.Request != nil)
	}
	way.PutOff()
	q.mu.Lock()
	defer q.mu.Unlock()
	v.step(hop)
	to := q.lane(key)
	q.move(v, to)
	if !w.until.IsZero() {
		q.park(to, w)
	}
	q.offer(to)
	return true
}

// waits reports whether a visit that was refused in the lane of key is put off. It sets w.until to the time of the
// next try.
func (q *Queue[T]) waits(v *visit[T], key string, w *wait, reserves bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, now := q.lane(key), time.Now()
	others := l.under
	if l == v.lane {
		w.until = l.missed(w.until, reserves, now)
		others--
		if w.awaits && l.answers != v.answers { // what it waits for has come meanwhile
			w.until = now
		}
	}
	most := q.Options.MaxWait
	if most <= 0 {
		most = usualMaxWait
	}
	if w.awaits && others > 0 { // an answer may take any time
		return true
	}
	if l.since.IsZero() {
		l.since = now
	}
	if w.until.Sub(l.since) > most {
		q.offer(l)
		return false
	}
	return true
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

package queue

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite"
)

const (
	// usualMaxWait is how long a lane waits if Options do not say.
	usualMaxWait = time.Hour

	// maxHops is how often a task goes on at a hop. http.Client counts only the redirects that
	// it follows without a refusal between them.
	maxHops = 10

	// maxHopURL is the longest URL of a hop to keep. A site may send one of 256 KiB for each page.
	maxHopURL = 8 << 10
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
		defer resp.Body.Close()
	}
	if ctx.Err() != nil || q.putOff(v, err) {
		return nil
	}
	q.answered(v, err)
	if err := handle(ctx, v.task.Item, resp, err); err != nil {
		return err
	}
	v.handled = true
	return nil
}

// send sends the request of a visit, if its turn has come.
func (q *Queue[T]) send(ctx context.Context, v *visit[T]) (*http.Response, error) {
	options := q.Options
	options.MaxWait = v.patience
	ctx = httptrace.WithClientTrace(polite.With(ctx, options), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { q.connected(v) }, // polite's own hook has let it pass
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.task.url(), nil)
	if err != nil {
		return nil, err
	}
	return q.Client.Do(req)
}

// connected lets the next task of a lane be tried.
func (q *Queue[T]) connected(v *visit[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pass(v)
}

// pass lets the next task of a lane be tried, unless the visit has done so before: its own was
// sent, or could have been. q.mu is locked.
func (q *Queue[T]) pass(v *visit[T]) {
	if v.step() {
		v.lane.sent()
		q.offer(v.lane)
	}
}

// step ends the trial of a task, and reports whether it does.
func (v *visit[T]) step() bool {
	if v.passed {
		return false
	}
	v.passed, v.lane.tried = true, false
	return true
}

// putOff puts a visit off that was refused only for now, and reports whether it does.
func (q *Queue[T]) putOff(v *visit[T], err error) bool {
	r := refusalOf(err)
	if r == nil {
		return false
	}
	if r.From != "" {
		return q.goOn(v, r)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	l := v.lane
	until := l.refused(r.until, r.Gap, time.Now())
	most := cmp.Or(q.Options.MaxWait, usualMaxWait)
	waits := r.guess && l.under > 1 // for an answer to another request, however long it takes
	if most > 0 && !waits && until.Sub(l.since) > most {
		return false
	}
	l.unknown = r.Reason == polite.ReasonUnknown
	v.step()
	q.move(v, l)
	q.lanes.park(l, until, r.guess)
	return true
}

// A refusal is one only for now.
type refusal struct {
	polite.Decision
	until time.Time
	guess bool // until is when an answer is likely to come that lets the request be sent
}

// refusalOf returns the refusal of a request that may be sent later, or nil.
func refusalOf(err error) *refusal {
	if errors.Is(err, polite.ErrNoHost) || errors.Is(err, polite.ErrPrivate) {
		return nil
	}
	if late, ok := errors.AsType[*polite.DelayError](err); ok {
		return &refusal{late.Decision, late.Turn, late.Gap == 0 && late.Reason != polite.ReasonUnknown}
	}
	if unknown, ok := errors.AsType[*polite.NoRulesError](err); ok && !unknown.Next.IsZero() {
		return &refusal{unknown.Decision, unknown.Next, false}
	}
	return nil
}

// goOn lets a task go on at the hop that was refused, in the lane of the hop. To begin again would
// fetch the first pages again, and come to the same hop. It reports whether the task goes on.
func (q *Queue[T]) goOn(v *visit[T], r *refusal) bool {
	u := hopOf(r.URL, v.task.url())
	count := 1
	if before := v.task.hop; before != nil {
		count += before.count
	}
	if u == nil || count > maxHops || len(r.URL) > maxHopURL {
		return false
	}
	next := hop{url: u.String(), count: count}
	key := q.key(u, next.url)
	q.mu.Lock()
	defer q.mu.Unlock()
	v.task.hop = &next
	if v.step() {
		v.lane.sent()
	}
	to := q.lanes.get(key)
	q.move(v, to)
	if r.Reason == polite.ReasonUnknown {
		to.unknown = true
	} else {
		q.lanes.park(to, r.until, r.guess)
	}
	q.offer(to)
	q.offer(v.lane)
	return true
}

// hopOf returns the URL of a hop to which a page led, or nil if nobody knows it: a refusal hides passwords.
// That of the page is known, and net/http keeps it within a site.
func hopOf(refused, page string) *url.URL {
	u, err := url.Parse(refused)
	if err != nil {
		return nil
	}
	if _, hidden := u.User.Password(); !hidden {
		return u
	}
	from, err := url.Parse(page)
	if err != nil || from.Scheme != u.Scheme || !strings.EqualFold(from.Host, u.Host) {
		return nil
	}
	if _, known := from.User.Password(); !known || from.User.Username() != u.User.Username() {
		return nil
	}
	u.User = from.User
	return u
}

// move puts the task of a visit into a lane.
func (q *Queue[T]) move(v *visit[T], to *lane[T]) {
	v.moved = true
	q.lanes.bring(to, v.task)
	delete(q.under, v.task.number)
}

// answered notes that the request of a visit was answered, or was refused for good.
func (q *Queue[T]) answered(v *visit[T], err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if refusalOf(err) == nil {
		q.pass(v)
	} else if v.step() { // it was given up, and the next is refused, too
		q.offer(v.lane)
	}
	q.stir(v.lane)
}

// stir lets a lane be tried that waits for an answer, or for a body to be closed.
func (q *Queue[T]) stir(l *lane[T]) {
	if l.place > 0 && l.guess {
		q.lanes.unpark(l)
		q.offer(l)
	}
}

// leave ends a visit. If it was neither handled nor put off, its task stays.
func (q *Queue[T]) leave(v *visit[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	v.step()
	v.lane.under--
	if v.handled {
		delete(q.under, v.task.number)
		q.stir(v.lane) // the body is closed
		q.done++
		if q.left--; q.left == 0 {
			q.over = true
			q.wake.Broadcast()
		}
	} else if !v.moved {
		q.move(v, v.lane)
	}
	q.offer(v.lane)
}

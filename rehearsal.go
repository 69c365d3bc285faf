package polite

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/send"
	"github.com/go-polite/polite/internal/turns"
)

// A rehearsal is a dry run: see Policy.DryRun. It sends each request at once. If robots.txt is not known yet, it
// judges the request in the background.
type rehearsal struct {
	report func(*http.Request, error)
	turns  turns.Rehearsal
	counts *dryRun // of the Cache

	waiting atomic.Int32 // requests that are judged in the background
}

// mostRehearsed bounds the requests that are judged in the background. Another one is not judged.
const mostRehearsed = 1000

// rehearse sends req at once, through by or Base, and reports what would have become of it.
func (e *engine) rehearse(req *http.Request, by send.By) (*http.Response, error) {
	var room [256]byte
	var to destination
	refused := true
	defer closeIf(&refused, req)
	target, err := e.resolve(req, room[:0], &to)
	if err != nil {
		return nil, err
	}
	at, judged, told := to, !to.exempt, closed
	if judged {
		told = e.foresee(req, &at, target)
	}
	refused = false
	to.exempt = true // its answer teaches nothing
	var v judge.Verdict
	resp, err := e.send(req, by, &to, &v, lane.Admission{})
	if judged {
		select { // a report that comes in a moment comes before the answer
		case <-told:
		case <-time.After(moment):
		}
		e.rehearsal.turns.Heard(&at.Site, resp)
	}
	e.observer.answered(req, resp)
	return resp, err
}

// moment is how long an answer is held back for a report, at most.
const moment = 100 * time.Millisecond

// closed is a channel that is closed.
var closed = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// foresee reports what would become of req: at once if its robots.txt is known, else when it is. The
// channel is closed when no answer should wait for the report any longer.
func (e *engine) foresee(req *http.Request, to *destination, target string) (told <-chan struct{}) {
	var v judge.Verdict
	r, came := e.rehearsal, time.Now()
	if e.findAtOnce(req.Context(), to, target, &v) {
		e.foretell(req, to, &v, came)
		return closed
	}
	waiting := r.waiting.Add(1)
	if waiting > mostRehearsed {
		r.waiting.Add(-1)
		r.counts.count(notJudged)
		return closed
	}
	ctx := context.WithoutCancel(req.Context())
	copied := req.Clone(ctx)
	copied.Body = nil
	target = string([]byte(target)) // it may lie in the room of the request
	wait, done := e.asker.AskDry(ctx, &to.Site), make(chan struct{})
	go func() {
		defer close(done)
		defer r.waiting.Add(-1)
		defer func() { recover() }() // of the user's code: nobody waits for it
		var err error
		if v.Known, err = wait(); err != nil {
			r.counts.count(notJudged)
			return
		}
		e.judge.Judge(&v, target)
		e.foretell(copied, to, &v, came)
	}()
	if waiting > 1 {
		return closed // robots.txt may be slow, and no other answer waits for it
	}
	return done
}

// foretell reports what would become of req, which came at a time and is judged by v.
func (e *engine) foretell(req *http.Request, to *destination, v *judge.Verdict, came time.Time) {
	r := e.rehearsal
	if e.observer.judges() {
		e.observer.judged(req, e.ruling(req, to, v))
	}
	if !v.Allowed {
		r.counts.count(refusedFor(reason(to, v)))
		r.report(req, asDry(e.decider.decision(req, to, v).refusal(req.URL)))
		return
	}
	turn, err := r.turns.Turn(&e.taker, &to.Site, v, came)
	late, refuses := err.(*lane.LateError)
	switch wait := time.Until(turn); {
	case refuses:
		r.counts.count(refusedFor(ReasonDelayed))
	case wait > 0:
		r.counts.count(delayedFor(wait))
		late = turns.Late(turn)
	default:
		r.counts.count(judged)
		return
	}
	r.report(req, asDry(e.delay(req, to, v, late)))
}

// asDry lets refusal tell of a dry run.
func asDry(refusal error) error {
	switch e := refusal.(type) {
	case *NoRulesError:
		e.dry = true
	case *DelayError:
		e.dry = true
	}
	return refusal
}

// A dryRun counts the requests of dry runs.
type dryRun struct {
	mu    sync.Mutex
	stats Stats // of which DryRun counts
}

// count lets change count a request.
func (d *dryRun) count(change func(*Stats)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.stats)
}

// fill fills in what was counted.
func (d *dryRun) fill(s *Stats) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.DryRun = d.stats.DryRun
	s.DryRun.Refused = maps.Clone(s.DryRun.Refused)
}

func notJudged(s *Stats) { s.DryRun.NotJudged++ }

func judged(s *Stats) { s.DryRun.Judged++ }

// refusedFor counts a request that polite would have refused.
func refusedFor(why Reason) func(*Stats) {
	return func(s *Stats) {
		if s.DryRun.Refused == nil {
			s.DryRun.Refused = make(map[Reason]uint64)
		}
		s.DryRun.Judged++
		s.DryRun.Refused[why]++
	}
}

// delayedFor counts a request that would have waited.
func delayedFor(wait time.Duration) func(*Stats) {
	return func(s *Stats) {
		s.DryRun.Judged++
		s.DryRun.Delayed++
		s.DryRun.Wait += wait
		s.DryRun.LongestWait = max(s.DryRun.LongestWait, wait)
	}
}

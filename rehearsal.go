package polite

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/send"
	"github.com/go-polite/polite/internal/turns"
)

// A rehearsal is a dry run: see Policy.ReportOnly.
type rehearsal struct {
	report  func(*http.Request, error)
	turns   turns.Rehearsal
	waiting atomic.Int32 // requests that are to be judged once their robots.txt is there
}

// mostRehearsed bounds the requests that are judged later. Another one waits for its robots.txt.
const mostRehearsed = 1000

// rehearse sends req at once by what is given, and reports what would have become of it.
func (e *engine) rehearse(req *http.Request, by send.By) (*http.Response, error) {
	var room [256]byte
	var to destination
	target, err := e.resolve(req, room[:0], &to)
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	at, judged, told := to, !to.exempt, closed
	if judged {
		told = e.foresee(req, to, target)
	}
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
// channel is closed then.
func (e *engine) foresee(req *http.Request, to destination, target string) (told <-chan struct{}) {
	r, came := e.rehearsal, time.Now()
	if to.reason != "" || e.judge.Memory.Newest(to.Origin) != nil || r.waiting.Load() >= mostRehearsed {
		e.judgeDry(req, &to, target, came)
		return closed
	}
	done := make(chan struct{})
	told = done
	copied := req.Clone(context.WithoutCancel(req.Context()))
	copied.Body = nil
	target = string([]byte(target)) // it may lie in the room of the request
	if r.waiting.Add(1) > 1 {
		told = closed // robots.txt may be slow, and no other answer waits for it
	}
	go func() {
		defer close(done)
		defer r.waiting.Add(-1)
		defer func() { recover() }() // of the user's code: nobody waits for it
		e.judgeDry(copied, &to, target, came)
	}()
	return told
}

// judgeDry reports what would become of req, which came at a time.
func (e *engine) judgeDry(req *http.Request, to *destination, target string, came time.Time) {
	var v judge.Verdict
	if err := e.find(req.Context(), to, target, &v); err != nil {
		return // its context has ended
	}
	if e.observer.judges() {
		e.observer.judged(req, e.ruling(req, to, &v))
	}
	if !v.Allowed {
		e.rehearsal.report(req, e.decider.decision(req, to, &v).refusal())
		return
	}
	turn, err := e.rehearsal.turns.Turn(&e.taker, &to.Site, &v, came)
	if err == nil && !turn.After(time.Now()) {
		return
	}
	late, ok := err.(*lane.LateError)
	if !ok {
		late = turns.Late(turn)
	}
	would := e.delay(req, to, &v, late)
	would.dry = true
	e.rehearsal.report(req, would)
}

package polite

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
	"github.com/go-polite/polite/robots/usage"
	"github.com/go-polite/polite/store"
)

// told are those who are told what a Transport does: the user's Trace, and the Logger's.
type told []*Trace

// judges reports whether someone is told what robots.txt means for requests.
func (ts told) judges() bool {
	return slices.ContainsFunc(ts, func(t *Trace) bool { return t.Judged != nil })
}

func (ts told) judged(req *http.Request, r Ruling) {
	for _, t := range ts {
		if t.Judged != nil {
			t.Judged(req, r)
		}
	}
}

// refused tells of a refusal, and returns it.
func (ts told) refused(req *http.Request, refusal error) error {
	for _, t := range ts {
		if t.Refused != nil {
			t.Refused(req, refusal)
		}
	}
	return refusal
}

// A wait is told when it begins, and when it is over.
type wait struct {
	told  told
	req   *http.Request
	began time.Time // zero if it has not begun, or is over
}

func (w *wait) begin(turn time.Time) {
	w.began = time.Now()
	for _, t := range w.told {
		if t.Waits != nil {
			t.Waits(w.req, turn)
		}
	}
}

// end tells that the wait is over. turn is what it has brought, or nil.
func (w *wait) end(turn *pace.Turn, err error) {
	if w.began.IsZero() {
		return
	}
	told := false
	defer func() {
		if !told {
			turn.Done() // who is told has panicked, so the turn is of no use
		}
	}()
	waited := time.Since(w.began)
	w.began = time.Time{}
	for _, t := range w.told {
		if t.Waited != nil {
			t.Waited(w.req, waited, err)
		}
	}
	told = true
}

// abandon ends a wait that a panic has cut short.
func (w *wait) abandon() { w.end(nil, errAbandoned) }

var errAbandoned = errors.New("polite: a function of the Trace, the Policy or the Pace has panicked")

func (ts told) held(b Break) {
	for _, t := range ts {
		if t.BreakBegan != nil {
			t.BreakBegan(b)
		}
	}
}

// said tells what the headers of resp, the answer to req, say about the use of the page
// and about its price. resp may be nil. If who is told panics, said closes it.
func (ts told) said(req *http.Request, resp *http.Response, agents []string) {
	if slices.ContainsFunc(ts, func(t *Trace) bool { return t.Stated != nil || t.Priced != nil }) {
		orClose(resp, func() { ts.stated(req, resp, agents) })
	}
}

func (ts told) stated(req *http.Request, resp *http.Response, agents []string) {
	for _, t := range ts {
		if t.Stated == nil || resp == nil {
			continue
		}
		if page := usage.OfHeader(resp.Header, agents...); !page.IsZero() {
			t.Stated(req, page)
		}
	}
	price, ok := priceOf(resp)
	for _, t := range ts {
		if ok && t.Priced != nil {
			t.Priced(req, price)
		}
	}
}

// orClose calls tell. If this panics, the caller gets no response to close: orClose closes
// resp, which may be nil.
func orClose(resp *http.Response, tell func()) {
	told := false
	defer func() {
		if !told && resp != nil && resp.Body != nil {
			resp.Body.Close()
		}
	}()
	tell()
	told = true
}

// overdue tells of a request that was written too late, if late is positive.
func (ts told) overdue(req *http.Request, late time.Duration) {
	for _, t := range ts {
		if t.Overdue != nil && late > 0 {
			t.Overdue(req, late)
		}
	}
}

// asked tells of a fetch of o's robots.txt that ended at now. e is what is known then.
func (ts told) asked(o origin.Origin, e *entry, answer fetch.Answer, err error, took time.Duration, next time.Time) {
	var f Fetch
	for _, t := range ts {
		if t.Asked == nil {
			continue
		}
		if f.Origin == "" {
			f = Fetch{
				Origin: o.String(), URL: o.RobotsURL().String(), Hops: answer.Hops, Status: answer.Status, Unchanged: answer.Unchanged,
				Size: len(answer.Body), Err: err, Took: took, Next: next,
			}
			if e.Failure != nil {
				f.Tries = e.Failure.Tries
			}
		}
		t.Asked(f)
	}
}

// changed tells if now has other rules than last.
func (ts told) changed(o origin.Origin, last, now *entry) {
	if last == nil || last.Status == 0 || now.Status == 0 || sameFile(last.file, now.file) {
		return
	}
	for _, t := range ts {
		if t.RulesChanged != nil {
			t.RulesChanged(RulesChange{Origin: o.String(), Before: last.file.parsed(), After: now.file.parsed()})
		}
	}
}

// called tells of a call of Store or Turns that began at some time.
func (ts told) called(ctx context.Context, name string, began time.Time, err error) {
	switch {
	case errors.Is(err, store.ErrLost):
		err = nil
	case err != nil && ctx.Err() == context.Canceled: // whatever the error says
		err = context.Canceled
	}
	for _, t := range ts {
		if t.Called != nil {
			t.Called(Call{Name: name, Took: time.Since(began), Err: err})
		}
	}
}

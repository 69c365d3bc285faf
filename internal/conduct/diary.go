package conduct

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/provenance"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/store"
)

// A diary is what a Trace is told, in order.
type Diary struct {
	mu    sync.Mutex
	lines []string
}

// Write adds a line.
func (d *Diary) Write(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// Take returns the lines, and forgets them.
func (d *Diary) Take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

// Trace returns a Trace that writes all into d.
func (d *Diary) Trace() polite.Trace {
	return polite.Trace{
		Judged: func(req *http.Request, r polite.Ruling) {
			word := "judged"
			if r.Again {
				word = "judged again:"
			}
			d.Write("%s %s %v %s %s", word, req.URL.Path, r.Allowed, r.Reason, r.Lookup)
		},
		Refused: func(req *http.Request, err error) {
			decision, _ := polite.DecisionOf(err)
			d.Write("refused %s %s", req.URL.Path, decision.Reason)
		},
		Waits: func(req *http.Request, turn time.Time) {
			d.Write("waits %s %v", req.URL.Path, time.Until(turn).Round(time.Second))
		},
		Waited: func(req *http.Request, wait time.Duration, err error) {
			d.Write("waited %s %v %v", req.URL.Path, wait.Round(time.Second), err != nil)
		},
		BreakBegan: func(b polite.Limit) { d.Write("held %s %d %v", b.Origin, b.Status, time.Until(b.Until)) },
		Answered: func(req *http.Request, resp *http.Response) {
			if p, ok := provenance.PriceOf(resp); ok {
				d.Write("priced %s %s", req.URL.Path, p.Text)
			}
		},
		Asked:        func(f polite.Fetch) { d.Write("asked %s %d %v %d", f.URL, f.Status, f.Err, f.Tries) },
		RulesChanged: func(origin string, _, _ *robots.File) { d.Write("changed %s", origin) },
		Called:       func(c store.Call) { d.Write("called %s %v", c.Name, c.Err) },
	}
}

// MaxAge lets an answer hold for some seconds.
func MaxAge(answer http.HandlerFunc, seconds int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", fmt.Sprint("max-age=", seconds))
		answer(w, r)
	}
}

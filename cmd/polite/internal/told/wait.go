package told

import (
	"sync"
	"time"

	"github.com/go-polite/polite"
)

// Waits tell how long the request that is under way waits for its turn.
type Waits struct {
	Report Report // where they tell

	mu      sync.Mutex
	waiting bool // there is a request under way
	d       polite.Decision
	over    func() // to be called when it no longer waits
}

// Begin is called with the decision on a request, before it is sent. What it returns is to
// be called when its turn has come.
func (w *Waits) Begin(d polite.Decision) (over func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting, w.d, w.over = true, d, w.Report.Wait(d)
	return w.end
}

func (w *Waits) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over()
	w.waiting = false
}

// Asks is called if polite waits for the end of a break. It tells so, unless the request
// that is under way waits for the same.
func (w *Waits) Asks(origin string, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.waiting && !w.Report.JSON && !w.Report.Quiet {
		Break(w.Report.W)(origin, wait)
	}
}

// Longer is called if the request waits for longer than was known when it began.
func (w *Waits) Longer(wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	turn := time.Now().Add(wait)
	if !w.waiting || turn.Before(w.d.Start.Add(longWait)) {
		return
	}
	w.over()
	w.d.Start = turn
	w.over = w.Report.Wait(w.d)
}

package report

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/internal/printable"
)

// Work is the URLs that a command is given. It tells on a terminal how many are done, and
// what takes so long. It is safe for concurrent use.
type Work struct {
	Line  *terminal.Progress // where it tells
	Done  string             // how to say that a URL is done, as in "checked"
	Total int                // the number of URLs; 0 if it is not known, or not yet

	mu    sync.Mutex
	n     int // how many are done
	began time.Time
	since time.Time                  // when the last one was done, or the work began
	doing func(now time.Time) string // what takes the time; nil if nobody knows
	asked []string                   // the sites of the URLs that are not done, in their order; "" for none
}

// moment is what nobody needs to be told about.
const moment = 500 * time.Millisecond

// Run begins the work. Call end when it is over.
func (w *Work) Run(ctx context.Context) (end func()) {
	w.began = time.Now()
	w.since = w.began
	return w.Line.Run(ctx, func() string { return printable.Text(w.text(time.Now())) })
}

// Next notes that the next URL is done: what became of it is told.
func (w *Work) Next() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	w.since = time.Now()
	if len(w.asked) > 0 {
		w.asked = w.asked[1:]
	}
}

// Interrupted returns why ctx has ended, with how many URLs were done until then. It is nil if ctx has not ended.
func (w *Work) Interrupted(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := context.Cause(ctx); err == nil || w.n == 0 {
		return err
	}
	return fmt.Errorf("%s: %w", w.count(), context.Cause(ctx))
}

// Count yields what all yields, and notes the total at the end, unless ctx ends. If asks is true, the site of each is asked.
func (w *Work) Count(ctx context.Context, all iter.Seq[judge.Question], asks bool) iter.Seq[judge.Question] {
	return func(yield func(judge.Question) bool) {
		n := 0
		for q := range all {
			n++
			if asks {
				w.Ask(q.URL)
			}
			if !yield(q) {
				return
			}
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if ctx.Err() == nil {
			w.Total = n
		}
	}
}

// Ask notes that a site is asked because of one more URL; nil for none.
func (w *Work) Ask(u *url.URL) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, judge.Origin(u))
}

// Follow notes that another site is asked because of the one URL that is under way.
func (w *Work) Follow(u *url.URL) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = []string{judge.Origin(u)}
}

// Do notes what is done now, until over is called.
func (w *Work) Do(what func(now time.Time) string) (over func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.doing
	w.doing = what
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.doing = before
	}
}

// text returns all that there is to tell.
func (w *Work) text(now time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var parts []string
	if w.Total != 1 && now.Sub(w.began) >= moment {
		parts = append(parts, w.count())
	}
	if doing := w.now(now); doing != "" && now.Sub(w.since) >= moment {
		parts = append(parts, doing)
	}
	return strings.Join(parts, "; ")
}

// count tells how many URLs are done.
func (w *Work) count() string {
	count := fmt.Sprint(w.n)
	if w.Total > 0 {
		count += fmt.Sprintf(" of %d", w.Total)
	}
	return count + " " + w.Done
}

// now tells what takes the time.
func (w *Work) now(now time.Time) string {
	switch {
	case w.doing != nil:
		return w.doing(now)
	case len(w.asked) > 0 && w.asked[0] != "":
		return "asking " + w.asked[0]
	default:
		return ""
	}
}

// A download counts the bytes of a page.
type download struct {
	io.Reader
	total int64 // as the site says; not positive if it does not
	read  atomic.Int64
}

// Download returns a reader of page, whose progress is a part of w. Call over when page is
// read. If the site does not say the size, it is -1.
func (w *Work) Download(page io.Reader, size int64) (counted io.Reader, over func()) {
	d := &download{Reader: page, total: size}
	return d, w.Do(func(time.Time) string {
		if w.Total == 1 {
			return d.text()
		}
		return "page: " + d.text()
	})
}

func (d *download) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	d.read.Add(int64(n))
	return n, err
}

func (d *download) text() string {
	text := size(float64(d.read.Load()))
	if d.total > 0 {
		text += " of " + size(float64(d.total))
	}
	return text
}

// size tells a number of bytes, in powers of 1000.
func size(n float64) string {
	const units = "kMGTPE"
	if n < 999.5 {
		return fmt.Sprintf("%.0f B", n)
	}
	unit := 0
	for n /= 1000; n >= 999.5 && unit < len(units)-1; unit++ {
		n /= 1000
	}
	digits := 0
	if n < 99.95 {
		digits = 1
	}
	return fmt.Sprintf("%.*f %cB", digits, n, units[unit])
}

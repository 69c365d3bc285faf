package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"net/url"
	"slices"
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
	n     int   // how many are done
	pace  meter // of n
	began time.Time
	since time.Time                  // when the last one was done, or the work began
	doing func(now time.Time) string // what takes the time; nil if nobody knows
	asked []string                   // the sites of the URLs that are not done, in the order in which they were noted
}

// moment is what nobody needs to be told about.
const moment = 500 * time.Millisecond

// Run begins the work. Call end when it is over.
func (w *Work) Run(ctx context.Context) (end func()) {
	w.began = time.Now()
	w.since = w.began
	w.pace.Memory = 5 * time.Minute // since a crawl-delay is long
	w.pace.Look(w.began, 0)
	return w.Line.Run(ctx, func() string { return printable.Text(w.text(time.Now())) })
}

// Next notes that one more URL is done: the first.
func (w *Work) Next() { w.next(func(string) bool { return true }) }

// Over notes that a URL is done, which need not be the first.
func (w *Work) Over(u *url.URL) {
	origin := judge.Origin(u)
	w.next(func(asked string) bool { return asked == origin })
}

func (w *Work) next(is func(asked string) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	w.since = time.Now()
	if i := slices.IndexFunc(w.asked, is); i >= 0 {
		w.asked = slices.Delete(w.asked, i, i+1)
	}
}

// Count yields what all yields, and notes the total at the end. If asks is true, the site of each is asked.
func (w *Work) Count(all iter.Seq[judge.Question], asks bool) iter.Seq[judge.Question] {
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
		w.Total = n
	}
}

// Ask notes that a site is asked because of one more URL. If u is nil, nothing is told of
// it.
func (w *Work) Ask(u *url.URL) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if u != nil {
		w.asked = append(w.asked, judge.Origin(u))
	}
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
	w.pace.Look(now, int64(w.n))
	var parts []string
	if w.Total != 1 && now.Sub(w.began) >= moment {
		parts = append(parts, w.count())
	}
	if doing := w.now(now); doing != "" && now.Sub(w.since) >= moment {
		parts = append(parts, doing)
	}
	return strings.Join(parts, "; ")
}

// count tells how many URLs are done, how fast, and when all will be.
func (w *Work) count() string {
	count := fmt.Sprint(w.n)
	if w.Total > 0 {
		count += fmt.Sprintf(" of %d", w.Total)
	}
	return count + " " + w.Done + pace(&w.pace, int64(w.Total), often)
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

// pace tells how fast a count grows, and how long it takes until it is total. It tells
// nothing that is not known.
func pace(m *meter, total int64, rate func(perSecond float64) string) string {
	var b strings.Builder
	if perSecond := m.Rate(); perSecond > 0 {
		b.WriteString(", " + rate(perSecond))
	}
	if left, known := m.Left(total); known && total > 0 {
		b.WriteString(", " + duration(left) + " left")
	}
	return b.String()
}

// A download counts the bytes of a page.
type download struct {
	io.Reader
	total int64 // as the site says; not positive if it does not
	read  atomic.Int64
	pace  meter
}

// Download returns a reader of page, whose progress is a part of w. Call over when page is
// read. If the site does not say the size, it is -1.
func (w *Work) Download(page io.Reader, size int64) (counted io.Reader, over func()) {
	d := &download{Reader: page, total: size}
	d.pace.Look(time.Now(), 0)
	return d, w.Do(func(now time.Time) string {
		if w.Total == 1 {
			return d.text(now)
		}
		return "page: " + d.text(now)
	})
}

func (d *download) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	d.read.Add(int64(n))
	return n, err
}

func (d *download) text(now time.Time) string {
	read := d.read.Load()
	d.pace.Look(now, read)
	text := size(float64(read))
	if d.total > 0 {
		text += " of " + size(float64(d.total))
	}
	return text + pace(&d.pace, d.total, func(perSecond float64) string { return size(perSecond) + "/s" })
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

// often tells how many there are in a second, or in a minute if they are few.
func often(perSecond float64) string {
	if perSecond < 0.95 {
		return fmt.Sprintf("%.0f/min", max(perSecond*60, 1))
	}
	return fmt.Sprintf("%.0f/s", perSecond)
}

// duration tells a time to the second, or to the minute if it is long.
func duration(d time.Duration) string {
	if d < time.Hour {
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

// A meter measures how fast a count grows, and when it will be done. What is long ago counts little, so that the
// rate follows a change, and is steady all the same. The zero meter is ready.
type meter struct {
	// Memory is the time in which the past fades to about a third. If zero, it is 10
	// seconds. It is longer than the count ever stands still.
	Memory time.Duration

	last          time.Time // of the last look
	count         int64     // at the last look
	began         time.Time // of the first look
	grown, passed float64   // by how much, in how many seconds; the past fades
	end           time.Time // when the work is expected to be done; zero if that is not known
}

const usualMemory = 10 * time.Second

// enough is the time after which there is a rate.
const enough = time.Second

// Look notes the count at a time. The first look notes where the work begins.
func (m *meter) Look(now time.Time, count int64) {
	if m.began.IsZero() {
		m.began, m.last, m.count = now, now, count
		return
	}
	passed := now.Sub(m.last)
	if passed <= 0 {
		return
	}
	fade := math.Exp(-float64(passed) / float64(cmp.Or(m.Memory, usualMemory)))
	m.grown = m.grown*fade + float64(count-m.count)
	m.passed = m.passed*fade + passed.Seconds()
	m.last, m.count = now, count
}

// Rate returns by how much the count grows in a second. It is 0 if this is not known yet,
// or if the count does not grow.
func (m *meter) Rate() float64 {
	if m.last.Sub(m.began) < enough || m.grown <= 0 {
		return 0
	}
	return m.grown / m.passed
}

// longest is the longest time left that is worth a guess.
const longest = 100 * time.Hour

// Left returns the time until the count is total, and whether it is known. It falls as
// time passes: a new guess counts only if it differs by more than a tenth.
func (m *meter) Left(total int64) (left time.Duration, known bool) {
	rate := m.Rate()
	seconds := float64(total-m.count) / rate
	if rate == 0 || total < m.count || seconds > longest.Seconds() {
		m.end = time.Time{}
		return 0, false
	}
	guess := time.Duration(seconds * float64(time.Second))
	differs := (guess - m.end.Sub(m.last)).Abs()
	if m.end.IsZero() || differs > guess/10+time.Second/2 {
		m.end = m.last.Add(guess)
	}
	return max(m.end.Sub(m.last), 0), true
}

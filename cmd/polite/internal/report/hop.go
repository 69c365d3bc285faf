package report

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
)

// A Report is where the hops of get are told.
type Report struct {
	W     io.Writer
	JSON  bool // an object a line
	Quiet bool // failures only
	Sites bool // some sites have settings of their own
	Keeps bool // failures are kept, so that the next run may not ask again

	// Work is what shows the waits on a terminal. It may be nil.
	Work *Work
}

// Hop tells what became of a hop.
func (r Report) Hop(h pagecache.Hop) {
	if r.Quiet && OutcomeOf(h.Decision, h.Err) == Allowed {
		return
	}
	line := hopLine(h)
	if OutcomeOf(h.Decision, h.Err) == Unreachable {
		line += r.again(h.Decision)
	}
	r.tell(line, hopData(h))
}

// tell tells a line, or in its place an object.
func (r Report) tell(line string, object any) {
	text := printable.Text(line) + "\n"
	if r.JSON {
		text = verb.JSONLine(object)
	}
	io.WriteString(r.W, text)
}

func hopLine(h pagecache.Hop) string {
	var status, wish, kept, from, file string
	if h.Status != 0 {
		status = fmt.Sprint(h.Status)
	}
	if h.Break > 0 {
		wish = fmt.Sprintf(", and asks for a break of %v (Retry-After)", h.Break.Round(time.Second))
	}
	if h.Kept != nil {
		kept = ", " + keptHow(h)
	}
	if h.File != "" {
		file = fmt.Sprintf(", in %q", h.File)
	}
	if h.From != "" {
		from = fmt.Sprintf(", hop %d from %s", h.Number, printable.URL(h.From))
	}
	o := OutcomeOf(h.Decision, h.Err)
	return fmt.Sprintf("%-11s %3s  %s  %s%s%s%s%s", o, status, printable.URL(h.URL), why(o, h.Decision, h.Err), wish, kept, from, file)
}

// keptHow tells how a page came that was kept. It is "" if the site has sent it.
func keptHow(h pagecache.Hop) string {
	switch {
	case h.Kept == nil:
		return ""
	case h.Kept.Unchanged:
		return "unchanged"
	default:
		return "from the cache"
	}
}

// again tells when polite asks for robots.txt again, if that is not told yet and a failure
// is kept. During a long break it does not ask with --refresh either.
func (r Report) again(d polite.Decision) string {
	switch {
	case !r.Keeps:
		return ""
	case errors.Is(d.Err, polite.ErrBreak):
		return "; with --no-cache, polite asks all the same"
	case d.Failing.IsZero():
		return ""
	}
	again := fmt.Sprintf("; polite asks again in %v", max(time.Until(d.Next), 0).Round(time.Second))
	if time.Until(d.Start) > verb.LongBreak {
		return again
	}
	return again + ", or with --refresh"
}

func hopData(h pagecache.Hop) decisionData {
	r := dataOf(h.Decision)
	r.URL, r.RedirectedFrom, r.Status, r.Error = h.URL, h.From, h.Status, verb.Message(h.Err)
	r.Provenance = h.Says
	if h.Number > 1 {
		r.Hop = h.Number
	}
	r.Page, r.File, r.Break = keptHow(h), h.File, h.Break.Seconds()
	return r
}

// Wait tells that a request waits for its turn, if it does so for long. What it
// returns is to be called when the turn has come.
func (r Report) Wait(d polite.Decision) (over func()) {
	wait := time.Until(d.Start)
	if r.JSON || r.Quiet || !d.Allowed || wait < longWait {
		return func() {}
	}
	if r.Work != nil && r.Work.Line.Shows() {
		return r.Work.Do(countdown(d, wait, r.Sites))
	}
	fmt.Fprintln(r.W, printable.Text(waiting(d, wait, r.Sites)))
	return func() {}
}

// Failure tells an error that no hop has caused.
func (r Report) Failure(err error) { r.error("error", err) }

// Warning tells an error in spite of which get goes on.
func (r Report) Warning(err error) { r.error("warning", err) }

func (r Report) error(kind string, err error) {
	r.tell("polite get: "+verb.Message(err), map[string]string{kind: verb.Message(err)})
}

// Waits tell how long the request that is under way waits for its turn.
type Waits struct {
	Report Report // where they tell

	mu   sync.Mutex
	d    polite.Decision
	over func() // to be called when it no longer waits; nil if there is no request under way
}

// Begin is called with the decision on a request, before it is sent. What it returns is to
// be called when its turn has come.
func (w *Waits) Begin(d polite.Decision) (over func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.d, w.over = d, w.Report.Wait(d)
	return w.end
}

func (w *Waits) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over()
	w.over = nil
}

// Asks is called if polite waits for the end of a break. It tells so, unless the request
// that is under way waits for the same.
func (w *Waits) Asks(origin string, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over == nil && !w.Report.JSON && !w.Report.Quiet {
		Break(w.Report.W)(origin, wait)
	}
}

// Longer is called if the request waits for longer than was known when it began.
func (w *Waits) Longer(wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	turn := time.Now().Add(wait)
	if w.over == nil || turn.Before(w.d.Start.Add(longWait)) {
		return
	}
	w.over()
	w.d.Start = turn
	w.over = w.Report.Wait(w.d)
}

// Head tells the header of a response, in the order of the names. It hides what may be a
// secret: the values of cookies, and passwords of URLs.
func Head(resp *http.Response) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", resp.Proto, printable.Text(resp.Status))
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		for _, value := range resp.Header[name] {
			b.WriteString(headLine(name, value) + "\n")
		}
	}
	return b.String() + "\n"
}

func headLine(name, value string) string {
	switch name {
	case "Set-Cookie":
		value = hideCookie(value)
	case "Location", "Content-Location", "Refresh", "Link":
		if u, err := url.Parse(value); err != nil || u.Host != "" { // a path has no password
			value = verb.Shown(value)
		}
	}
	line := printable.Text(name + ": " + value)
	if strings.HasPrefix(line, "-") {
		return `\x2d` + line[1:] // it may be an option to the next command of a pipe
	}
	return line
}

// hideCookie hides the value of a cookie, and leaves its attributes.
func hideCookie(cookie string) string {
	pair, attributes, more := strings.Cut(cookie, ";")
	name, _, _ := strings.Cut(pair, "=")
	if more {
		attributes = ";" + attributes
	}
	return name + "=xxxxx" + attributes
}

// A Tally counts the URLs of a get.
type Tally struct {
	urls, missed int
	left         bool  // some were not even tried
	open         bool  // nobody knows how many are left
	err          error // why they were left
}

// Add counts a URL that was fetched, or not.
func (t *Tally) Add(fetched bool) {
	t.urls++
	if !fetched {
		t.missed++
	}
}

// IsEmpty reports whether no URL was counted, tried or not.
func (t *Tally) IsEmpty() bool { return t.urls == 0 && !t.left }

// Leave counts a URL that was not tried, because of err. A list that cannot be read on is no
// URL.
func (t *Tally) Leave(q judge.Question, err error) {
	t.left, t.err = true, err
	if q.URL == nil {
		t.open = true
		return
	}
	t.Add(false)
}

// Status returns the status for the URLs that were not tried.
func (t *Tally) Status() verb.Status {
	if t.left {
		return verb.Failed
	}
	return verb.OK
}

// Tally tells how many of several URLs were not fetched, if some were not.
func (r Report) Tally(t Tally) {
	if t.left || t.missed > 0 && t.urls > 1 {
		r.tell("polite get: "+verb.Message(t.told()), struct {
			NotFetched int    `json:"not_fetched"`
			URLs       int    `json:"urls"`
			Error      string `json:"error,omitempty"`
		}{t.missed, t.urls, verb.Message(t.err)})
	}
}

func (t *Tally) told() error {
	were := "were"
	if t.missed == 1 {
		were = "was"
	}
	text := fmt.Sprintf("%d of %s %s not fetched", t.missed, verb.Count(t.urls, "URL"), were)
	if t.open {
		text += ", nor was the rest of standard input"
	}
	if t.err == nil {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %w", text, t.err)
}

// Skipped tells that a page is not fetched, as its file is there.
func (r Report) Skipped(u *url.URL, file string) {
	if r.Quiet {
		return
	}
	r.tell(fmt.Sprintf("%-11s      %s  %q is there", "skipped", printable.URL(u.Redacted()), file), struct {
		URL     string `json:"url"`
		Skipped bool   `json:"skipped"`
		File    string `json:"file"`
	}{u.Redacted(), true, file})
}

// Lanes tells what waits in a cache, and why, until end is called. It looks once a second, and tells what
// it has not told of a lane before.
func (r Report) Lanes(cache *polite.Cache) (end func()) {
	stop := make(chan struct{})
	var looks sync.WaitGroup
	looks.Go(func() {
		told := make(map[string]string)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				r.lanes(cache, told)
			}
		}
	})
	return func() {
		close(stop)
		looks.Wait()
	}
}

// lanes tells what waits in a cache and is not told yet.
func (r Report) lanes(cache *polite.Cache, told map[string]string) {
	for l := range cache.Lanes() {
		if why := l.Why(); l.Waiting > 0 && why != "" && told[l.Key] != why {
			told[l.Key] = why
			r.tell(fmt.Sprintf("waiting for %s: %s", l.Key, why), struct {
				Lane    string       `json:"lane"`
				Waiting int          `json:"waiting"`
				Cause   polite.Cause `json:"cause"`
				Why     string       `json:"why"`
				Next    time.Time    `json:"next,omitzero"`
			}{l.Key, l.Waiting, l.Cause, why, l.Next})
		}
	}
}

package told

import (
	"fmt"
	"io"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/kept"
	"github.com/go-polite/polite/cmd/polite/internal/trail"
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
func (r Report) Hop(h trail.Hop) {
	if r.Quiet && OutcomeOf(h.Decision, h.Err) == Allowed {
		return
	}
	if r.JSON {
		io.WriteString(r.W, verb.JSONLine(hopRecord(h)))
		return
	}
	line := hopLine(h)
	if OutcomeOf(h.Decision, h.Err) == Unreachable {
		line += r.again(h.Decision)
	}
	fmt.Fprintln(r.W, printable.Text(line))
}

func hopLine(h trail.Hop) string {
	var status, from, file string
	if h.Status != 0 {
		status = fmt.Sprint(h.Status)
	}
	if h.File != "" {
		file = fmt.Sprintf(", in %q", h.File)
	}
	if h.From != "" {
		from = fmt.Sprintf(", hop %d from %s", h.Number, printable.URL(h.From))
	}
	o := OutcomeOf(h.Decision, h.Err)
	return fmt.Sprintf("%-11s %3s  %s  %s%s%s", o, status, printable.URL(h.URL), why(o, h.Decision, h.Err), from, file)
}

// again tells when polite asks for robots.txt again, if that is not told yet and a failure
// is kept. During a long break it does not ask with --refresh either.
func (r Report) again(d polite.Decision) string {
	if !r.Keeps || d.Failing.IsZero() || Rests(d.Err) {
		return ""
	}
	again := fmt.Sprintf("; polite asks again in %v", max(time.Until(d.Next), 0).Round(time.Second))
	if time.Until(d.Start) > kept.LongBreak {
		return again
	}
	return again + ", or with --refresh"
}

func hopRecord(h trail.Hop) record {
	r := recordOf(h.Decision)
	r.URL, r.RedirectedFrom, r.Status, r.Error = h.URL, h.From, h.Status, verb.Message(h.Err)
	r.Provenance = h.Says
	if h.Number > 1 {
		r.Hop = h.Number
	}
	r.File = h.File
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
func (r Report) Failure(err error) {
	if r.JSON {
		io.WriteString(r.W, verb.JSONLine(map[string]string{"error": verb.Message(err)}))
		return
	}
	fmt.Fprintln(r.W, "polite get:", verb.Message(err))
}

// Warning tells an error in spite of which get goes on.
func (r Report) Warning(err error) {
	if r.JSON {
		io.WriteString(r.W, verb.JSONLine(map[string]string{"warning": verb.Message(err)}))
		return
	}
	verb.Streams{Err: r.W}.Warning("get")(err)
}

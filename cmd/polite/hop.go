package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/printable"
)

// A hop is one request on the way to a page, and what became of it.
type hop struct {
	number   int // from 1
	method   string
	url      string
	from     string // the URL that redirected to this one
	decision polite.Decision
	status   int   // 0 if there was no answer
	err      error // why there is no page
}

func (h hop) exitStatus() exitStatus {
	if h.err == nil {
		return exitOK
	}
	if _, ok := errors.AsType[*polite.DisallowedError](h.err); ok {
		return exitDisallowed
	}
	if _, ok := errors.AsType[*polite.NoRulesError](h.err); ok {
		return exitUnreachable
	}
	return exitFailed
}

// String tells about the hop in one line.
func (h hop) String() string {
	var status, from string
	if h.status != 0 {
		status = fmt.Sprint(h.status)
	}
	if h.from != "" {
		from = fmt.Sprintf(", hop %d from %s", h.number, printable.URL(h.from))
	}
	outcome := h.exitStatus()
	return fmt.Sprintf("%-11s %3s  %s  %s%s", outcome.word(), status, printable.URL(h.url), why(outcome, h.decision, h.err), from)
}

func (h hop) record() record {
	r := recordOf(h.decision)
	r.URL, r.RedirectedFrom, r.Status, r.Error = h.url, h.from, h.status, message(h.err)
	if h.number > 1 {
		r.Hop = h.number
	}
	return r
}

// A report is where hops are told.
type report struct {
	w    io.Writer
	json bool
}

func (r report) hop(h hop) {
	if r.json {
		io.WriteString(r.w, jsonLine(h.record()))
		return
	}
	fmt.Fprintln(r.w, printable.Text(h.String()))
}

// longWait is from when on somebody may wonder why nothing happens.
const longWait = time.Second

// wait tells that a request waits for its turn, if it does for long. What it
// returns is to be cleared when the turn has come.
func (r report) wait(d polite.Decision) *progress {
	wait := time.Until(d.Turn)
	if r.json || !d.Allowed || wait < longWait {
		return new(progress)
	}
	text := printable.Text(waiting(d, wait))
	line := progressOn(r.w)
	if line.w == nil {
		fmt.Fprintln(r.w, text)
	}
	line.show("%s", text)
	return line
}

// waiting tells for how long and why a request waits.
func waiting(d polite.Decision, wait time.Duration) string {
	why := fmt.Sprintf("crawl-delay of %v", d.SiteDelay)
	if wait > d.Delay {
		why = "a break (Retry-After)" // which alone puts off turns for longer
	}
	return fmt.Sprintf("waiting %v: %s asked by %s", wait.Round(time.Second), why, d.Origin)
}

// failure tells of an error that no hop has caused.
func (r report) failure(err error) {
	if r.json {
		io.WriteString(r.w, jsonLine(map[string]string{"error": message(err)}))
		return
	}
	fmt.Fprintln(r.w, "polite get:", message(err))
}

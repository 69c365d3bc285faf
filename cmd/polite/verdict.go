package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/go-polite/polite"
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
		return exitFetched
	}
	if _, ok := errors.AsType[*polite.DisallowedError](h.err); ok {
		return exitDisallowed
	}
	if _, ok := errors.AsType[*polite.UnreachableError](h.err); ok {
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
		from = fmt.Sprintf(", hop %d from %s", h.number, h.from)
	}
	verdict, why := h.verdict()
	return fmt.Sprintf("%-11s %3s  %s  %s%s", verdict, status, h.url, why, from)
}

// verdict tells what became of the request, and why.
func (h hop) verdict() (word, why string) {
	d := h.decision
	switch h.exitStatus() {
	case exitFetched:
		return "allowed", "(" + reason(d) + ")"
	case exitDisallowed:
		return "disallowed", fmt.Sprintf("by %q, line %d of %s (group %q)", d.Rule, d.Rule.Line, d.RobotsURL, d.Group)
	case exitUnreachable:
		return "unreachable", fmt.Sprintf("because %s %s", d.RobotsURL, answer(d))
	default:
		return "failed", message(h.err)
	}
}

// reason tells in a few words what a decision rests on.
func reason(d polite.Decision) string {
	switch d.Reason {
	case polite.ByRule:
		return fmt.Sprintf("line %d: %s", d.Rule.Line, d.Rule)
	case polite.NoRule:
		if d.Group == "" {
			return "robots.txt has no group for " + d.Agent
		}
		return fmt.Sprintf("no rule of group %q matches", d.Group)
	case polite.Unavailable, polite.Unreachable:
		return "robots.txt " + answer(d)
	case polite.RobotsTxt:
		return "robots.txt is always allowed"
	default:
		return string(d.Reason)
	}
}

// answer tells what came when robots.txt was asked for.
func answer(d polite.Decision) string {
	if d.Err != nil {
		return "could not be fetched: " + d.Err.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("answered %d %s", d.Status, http.StatusText(d.Status)))
}

// A report is where hops are told.
type report struct {
	w    io.Writer
	json bool
}

func (r report) hop(h hop) {
	if r.json {
		r.encode(h.record())
		return
	}
	fmt.Fprintln(r.w, printable(h.String()))
}

// failure tells of an error that no hop has caused.
func (r report) failure(err error) {
	if r.json {
		r.encode(struct {
			Error string `json:"error"`
		}{message(err)})
		return
	}
	fmt.Fprintln(r.w, "polite get:", printable(message(err)))
}

func (r report) encode(v any) {
	e := json.NewEncoder(r.w)
	e.SetEscapeHTML(false) // "&" is common in URLs
	e.Encode(v)
}

// printable makes s fit for one line of a terminal: sites have a say in it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// A record is a hop in JSON. The package's documentation describes it.
type record struct {
	URL             string        `json:"url"`
	Hop             int           `json:"hop,omitempty"`
	RedirectedFrom  string        `json:"redirected_from,omitempty"`
	Allowed         bool          `json:"allowed"`
	Reason          polite.Reason `json:"reason,omitempty"`
	Status          int           `json:"status,omitempty"`
	Error           string        `json:"error,omitempty"`
	Origin          string        `json:"origin,omitempty"`
	Agent           string        `json:"agent,omitempty"`
	Group           string        `json:"group,omitempty"`
	Rule            string        `json:"rule,omitempty"`
	Line            int           `json:"line,omitempty"`
	RobotsURL       string        `json:"robots_url,omitempty"`
	RobotsStatus    int           `json:"robots_status,omitempty"`
	RobotsHops      []string      `json:"robots_hops,omitempty"`
	RobotsError     string        `json:"robots_error,omitempty"`
	RobotsTruncated bool          `json:"robots_truncated,omitempty"`
	Next            time.Time     `json:"next,omitzero"`
}

func (h hop) record() record {
	d := h.decision
	r := record{
		URL: h.url, RedirectedFrom: h.from,
		Allowed: d.Allowed, Reason: d.Reason, Status: h.status, Error: message(h.err),
		Origin: d.Origin, Agent: d.Agent, Group: d.Group,
		RobotsURL: d.RobotsURL, RobotsStatus: d.Status, RobotsHops: d.Hops,
		RobotsError: message(d.Err), RobotsTruncated: d.Truncated,
	}
	if h.number > 1 {
		r.Hop = h.number
	}
	if d.Reason == polite.ByRule {
		r.Rule, r.Line = d.Rule.String(), d.Rule.Line
	}
	if !d.Next.IsZero() {
		r.Next = d.Next.UTC().Round(time.Second)
	}
	return r
}

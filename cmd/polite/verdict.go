package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-polite/polite"
)

// statusOf returns the exit status that stands for a decision.
func statusOf(d polite.Decision) exitStatus {
	switch {
	case d.Allowed:
		return exitOK
	case d.Reason == polite.ByRule:
		return exitDisallowed
	default:
		return exitUnreachable
	}
}

// word returns the one for what became of a request.
func (s exitStatus) word() string {
	switch s {
	case exitOK:
		return "allowed"
	case exitDisallowed:
		return "disallowed"
	case exitUnreachable:
		return "unreachable"
	default:
		return "failed"
	}
}

// why tells what led to the outcome of a request: a decision on it, or an error
// if it failed.
func why(outcome exitStatus, d polite.Decision, err error) string {
	switch outcome {
	case exitOK:
		return "(" + reason(d) + ")"
	case exitDisallowed:
		return fmt.Sprintf("by %q, line %d of %s (group %q)", d.Rule, d.Rule.Line, d.RobotsURL, d.Group)
	case exitUnreachable:
		return fmt.Sprintf("because %s %s", d.RobotsURL, answer(d))
	default:
		return message(err)
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
	switch {
	case d.Reason == polite.Unavailable && d.Status/100 == 3:
		return roundabout(d.Hops)
	case d.Err != nil:
		return "could not be fetched: " + fetchError(d.Err)
	}
	answered := strings.TrimSpace(fmt.Sprintf("answered %d %s", d.Status, http.StatusText(d.Status)))
	if d.Status/100 == 3 {
		answered += ", which leads nowhere"
	}
	return answered
}

// roundabout tells of redirects, with these hops, that were followed in vain.
func roundabout(hops []string) string {
	const followed = 5 // at most, unless a Policy has more
	switch len(hops) {
	case 0:
		return "redirects to itself"
	case followed:
		return "redirects more than 5 times, or in a circle"
	default:
		return "redirects in a circle"
	}
}

// fetchError tells why there was no robots.txt, or only a part of it.
func fetchError(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the answer was cut short"
	case errors.Is(err, io.EOF):
		return "the connection was closed without an answer"
	default:
		return strings.TrimSuffix(message(err), ": "+context.DeadlineExceeded.Error()) // which says no more
	}
}

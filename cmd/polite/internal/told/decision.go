package told

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// why tells what led to an outcome: a decision, or an error if the request failed.
func why(o Outcome, d polite.Decision, err error) string {
	switch o {
	case Allowed:
		return "(" + Reason(d) + ")"
	case Disallowed:
		return fmt.Sprintf("by %q, line %d of %s (group %q)", d.Rule, d.Rule.Line, d.RobotsURL, d.Group)
	case Unreachable:
		return fmt.Sprintf("because %s %s", d.RobotsURL, Answer(d))
	default:
		return verb.Message(err)
	}
}

// Reason tells in a few words what a decision rests on.
func Reason(d polite.Decision) string {
	switch d.Reason {
	case polite.ByRule:
		return fmt.Sprintf("line %d: %s", d.Rule.Line, d.Rule)
	case polite.NoRule:
		if d.Group == "" {
			return "robots.txt has no group for " + d.Agent
		}
		return fmt.Sprintf("no rule of group %q matches", d.Group)
	case polite.Unavailable, polite.Unreachable:
		return "robots.txt " + Answer(d)
	case polite.RobotsTxt:
		return "robots.txt is always allowed"
	default:
		return string(d.Reason)
	}
}

// Answer tells how the site answered the request for robots.txt, as the end of a
// sentence about that.
func Answer(d polite.Decision) string {
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

// roundabout tells how redirects led to no answer.
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

// fetchError tells why robots.txt could not be fetched, or only a part of it. It is ""
// if err is nil.
func fetchError(err error) string {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the answer was cut short"
	case errors.Is(err, io.EOF):
		return "the connection was closed without an answer"
	default: // the end of the message for a timeout says nothing new
		return strings.TrimSuffix(verb.Message(err), ": "+context.DeadlineExceeded.Error())
	}
}

// unavailable tells why an answer without rules allows everything.
func unavailable(d polite.Decision) string {
	if d.Err == nil && (d.Status == http.StatusNotFound || d.Status == http.StatusGone) {
		return "a site without robots.txt allows everything"
	}
	return "this means the same as no robots.txt: everything is allowed"
}

// longWait is the shortest wait that is worth a word.
const longWait = time.Second

// waiting tells for how long a request waits, and why.
func waiting(d polite.Decision, wait time.Duration) string {
	why := fmt.Sprintf("crawl-delay of %v", d.SiteDelay)
	if wait > d.Delay+longWait {
		why = "a break (Retry-After)" // nothing else puts off a turn for longer
	}
	return fmt.Sprintf("waiting %v: %s asked by %s", wait.Round(time.Second), why, d.Origin)
}

// Package report words what polite decided, for people, in JSON and in CSV. No other package
// words it.
package report

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/usage"
)

// An Outcome is what became of a request, in a word.
type Outcome string

const (
	Allowed     Outcome = "allowed"
	Disallowed  Outcome = "disallowed"
	Unreachable Outcome = "unreachable" // robots.txt was, so there are no rules to go by
	Failed      Outcome = "failed"      // because of anything else
)

// OutcomeOf returns the outcome of a request that ended with err, or on which d was
// decided if err is nil.
func OutcomeOf(d polite.Decision, err error) Outcome {
	switch {
	case errors.Is(err, polite.ErrDisallowed):
		return Disallowed
	case errors.Is(err, polite.ErrNoRules):
		return Unreachable
	case err != nil:
		return Failed
	case d.Allowed:
		return Allowed
	case d.Reason == polite.ReasonRule, d.Reason == polite.ReasonUse:
		return Disallowed
	default:
		return Unreachable
	}
}

// ByRule returns the outcome by a rule that allows, or that disallows.
func ByRule(allows bool) Outcome {
	if allows {
		return Allowed
	}
	return Disallowed
}

// Status returns the exit status for the outcome.
func (o Outcome) Status() verb.Status {
	switch o {
	case Allowed:
		return verb.OK
	case Disallowed:
		return verb.Disallowed
	case Unreachable:
		return verb.Unreachable
	default:
		return verb.Failed
	}
}

// Paint returns text in the colour of the outcome.
func (o Outcome) Paint(s terminal.Style, text string) string {
	switch o {
	case Allowed:
		return s.Green(text)
	case Disallowed:
		return s.Red(text)
	default:
		return s.Yellow(text)
	}
}

// Outcomes are how many verdicts there are of each outcome.
type Outcomes map[Outcome]int

// String tells how many. It leaves out what is rare if there are none.
func (all Outcomes) String() string {
	text := fmt.Sprintf("%d allowed, %d disallowed", all[Allowed], all[Disallowed])
	for _, o := range []Outcome{Unreachable, Failed} {
		if all[o] > 0 {
			text += fmt.Sprintf(", %d %s", all[o], o)
		}
	}
	return text
}

// ShownURL returns the URL of a verdict in one word, or what was given instead of a
// URL.
func ShownURL(v judge.Verdict) string {
	if v.Err != nil {
		return printable.Text(v.URL)
	}
	return printable.URL(v.URL)
}

// mostUses is how many uses are told. A file may name thousands.
const mostUses = 20

// A Use is what a site says about one use, in JSON. The documentation of the command
// describes it.
type Use struct {
	Use   usage.Use        `json:"use"`
	Says  usage.Preference `json:"says"`
	Line  int              `json:"line,omitempty"` // 0 if it is that of the record
	Value string           `json:"value,omitempty"`
}

// Uses returns what a site says about the use of a page, each use once, with what decides.
func Uses(v judge.Verdict) (uses []Use) {
	places := make(map[usage.Use]int)
	for said := range v.Usage.All() {
		i, again := places[said.Use]
		switch {
		case !again && len(uses) == mostUses:
		case !again:
			places[said.Use] = len(uses)
			uses = append(uses, useOf(said))
		case said.Preference > uses[i].Says:
			uses[i] = useOf(said)
		}
	}
	return append(uses, policies(v)...)
}

// policies returns what policy tokens say of a page.
func policies(v judge.Verdict) (uses []Use) {
	for _, p := range v.Policies {
		says := usage.No
		if p.Rule.Allow {
			says = usage.Yes
		}
		uses = append(uses, Use{usage.Use(verb.Name(p.Token)), says, p.Rule.Line, terminal.Excerpt(p.Rule.String()) + " (by a draft)"})
	}
	return uses
}

func useOf(s usage.Said) Use {
	return Use{usage.Use(verb.Cut(string(s.Use))), s.Preference, s.Line, verb.Cut(s.String())}
}

// Text tells what a site says about a use.
func (u Use) Text() string { return string(u.Use) + " " + u.Says.String() }

// usesInLine tells what a site says about the uses of a page, to be added to a line.
func usesInLine(v judge.Verdict) string {
	var all []string
	for _, u := range Uses(v) {
		if u.Says != usage.NotStated {
			all = append(all, u.Text())
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "; use: " + strings.Join(all, ", ")
}

// MostAnnotations is how many annotations of a step GitHub shows.
const MostAnnotations = 10

// Annotation returns the line with which GitHub Actions shows an error, a warning or a notice at a line of a file.
// The file is "" if there is none. Elsewhere, the line is "".
func Annotation(kind, file string, line int, text string) string {
	if os.Getenv("GITHUB_ACTIONS") != "true" {
		return ""
	}
	place := ""
	if file != "" {
		place = fmt.Sprintf(" file=%s,line=%d", property.Replace(printable.Text(file)), line)
	}
	return "::" + kind + place + "::" + strings.ReplaceAll(printable.Text(strings.TrimSpace(text)), "%", "%25") + "\n"
}

// property escapes what ends the property of a command of GitHub Actions.
var property = strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C")

// why tells what led to an outcome: a decision, or an error if the request failed.
func why(o Outcome, d polite.Decision, err error) string {
	switch o {
	case Allowed:
		return "(" + Reason(d) + ")"
	case Disallowed:
		return by(d)
	case Unreachable:
		return fmt.Sprintf("because %s %s", d.RobotsURL, Answer(d))
	default:
		return verb.Message(err)
	}
}

// Reason tells in a few words what a decision rests on.
func Reason(d polite.Decision) string {
	switch d.Reason {
	case polite.ReasonRule:
		return fmt.Sprintf("line %d: %s", d.Rule.Line, d.Rule)
	case polite.ReasonNoRule:
		if d.Group == "" {
			return "robots.txt has no group for " + d.Agent
		}
		return fmt.Sprintf("no rule of group %q matches", d.Group)
	case polite.ReasonUnavailable, polite.ReasonUnreachable:
		return "robots.txt " + Answer(d)
	case polite.ReasonAgreed:
		return "the owner has agreed: " + d.Basis
	case polite.ReasonRobotsTxt:
		return "robots.txt is always allowed"
	default:
		return string(d.Reason)
	}
}

// Answer tells how the site answered the request for robots.txt, as the end of a
// sentence about that.
func Answer(d polite.Decision) string {
	switch {
	case d.Reason == polite.ReasonUnavailable && d.Status/100 == 3:
		return roundabout(d.Hops)
	case errors.Is(d.Err, polite.ErrBreak):
		return "was not asked for: " + fetchError(d.Err)
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
	case certificate(err) != "":
		return certificate(err)
	default: // the end of the message for a timeout says nothing new
		return strings.TrimSuffix(verb.Message(err), ": "+context.DeadlineExceeded.Error())
	}
}

// certificate tells what is wrong with the certificate of a site. It is "" if nothing is. The
// error itself may list a hundred names.
func certificate(err error) string {
	if wrong, ok := errors.AsType[x509.HostnameError](err); ok {
		return "its certificate is not for " + wrong.Host
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "its certificate is from an authority that this machine does not trust"
	}
	if wrong, ok := errors.AsType[x509.CertificateInvalidError](err); ok && wrong.Reason == x509.Expired {
		return "its certificate has expired, or is not valid yet"
	}
	return ""
}

// Unasked tells why polite did not ask for a newer answer than the one that d rests on.
// It is "" if there is no such reason.
func Unasked(d polite.Decision) string {
	if d.Fetched.IsZero() || errors.Is(d.Err, polite.ErrBreak) || time.Until(d.Start) <= verb.LongBreak {
		return ""
	}
	return "not asked again: the site wants no requests until " + d.Start.Format(time.RFC3339)
}

// old is unasked with the age of the answer, as more that is told of a verdict.
func old(d polite.Decision) string {
	why := Unasked(d)
	if why == "" {
		return ""
	}
	return "  fetched " + ago(d.Fetched) + "; " + why
}

// ago tells how long ago t was.
func ago(t time.Time) string {
	if age := time.Since(t).Round(time.Second); age > 0 {
		return age.String() + " ago"
	}
	return "now"
}

// longWait is the shortest wait that is worth a word.
const longWait = time.Second

// waiting tells for how long a request waits, and why. paced says that some sites have a
// pace that is not theirs alone.
func waiting(d polite.Decision, wait time.Duration, paced bool) string {
	wish, by := wish(d, wait, paced)
	return fmt.Sprintf("waiting %v%s %s %s", wait.Round(time.Second), wish, by, d.Origin)
}

// wish tells why a request waits, and how this is bound to the origin.
func wish(d polite.Decision, wait time.Duration, paced bool) (why, by string) {
	switch limited := d.Limit; {
	case limited.Trouble != "" && !limited.Asked, limited.Gap == d.Gap && d.Gap > d.CrawlDelay && wait <= d.Gap+longWait:
		return ": " + limited.String(), "at"
	case wait > d.Gap+longWait && paced: // jitter can make a gap longer
		return " for a turn", "at"
	case wait > d.Gap+longWait: // nothing else puts off a turn for longer
		return ": " + breakWish, "asked by"
	case d.Gap > d.CrawlDelay:
		return fmt.Sprintf(": delay of %v", d.Gap), "set for"
	default:
		return fmt.Sprintf(": crawl-delay of %v", d.CrawlDelay), "asked by"
	}
}

const breakWish = "a break (Retry-After)"

// countdown tells what is left of a wait.
func countdown(d polite.Decision, wait time.Duration, paced bool) func(now time.Time) string {
	wish, _ := wish(d, wait, paced)
	return func(now time.Time) string {
		left := max(d.Start.Sub(now), 0).Round(time.Second)
		return fmt.Sprintf("waiting %v for %s%s", left, d.Origin, wish)
	}
}

// Break returns a function that tells w, in a line, that polite waits for the end of a
// break before it asks for robots.txt.
func Break(w io.Writer) func(origin string, wait time.Duration) {
	return func(origin string, wait time.Duration) {
		if wait < longWait {
			return
		}
		text := fmt.Sprintf("waiting %v: %s asked by %s", wait.Round(time.Second), breakWish, origin)
		fmt.Fprintln(w, printable.Text(text))
	}
}

// Package report words what polite decided, for people, in JSON and in CSV. No other package
// words it.
package report

import (
	"errors"
	"fmt"
	"os"
	"strings"

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
	Line  int              `json:"line"`
	Value string           `json:"value"`
}

// Uses returns what a statement says, each use once, with what decides.
func Uses(s usage.Statement) (uses []Use) {
	places := make(map[usage.Use]int)
	for said := range s.All() {
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
	return uses
}

func useOf(s usage.Said) Use { return Use{s.Use, s.Preference, s.Line, s.String()} }

// Text tells what a site says about a use: yes, no, or only its name.
func (u Use) Text() string {
	if u.Says == usage.NotStated {
		return string(u.Use)
	}
	return string(u.Use) + " " + u.Says.String()
}

// usesInLine tells what a site says about the uses of a page, to be added to a line.
func usesInLine(v judge.Verdict) string {
	var all []string
	for _, u := range Uses(v.Usage) {
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

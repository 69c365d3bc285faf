// Package review words what changes when one robots.txt takes the place of another: for
// people, for programs, and for the comment of a review.
package review

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/robots"
)

// A Form is how changes are told. Each function returns the text of one change.
type Form struct {
	Head    string // before all
	Verdict func(compare.Verdict) string
	Between func(Totals) string // after the verdicts; may be nil
	Summary bool                // the totals go to standard error
	Rule    func(compare.Rule) string
	Delay   func(compare.Delay) string
	Record  func(compare.Record) string
}

// Totals are how much changes.
type Totals struct {
	Verdicts int
	Affected int // crawlers for which a verdict changes
	Crawlers int // for which the files were compared
	Others   int // rules, delays and records that changed
}

// String tells the totals in a sentence without its full stop.
func (t Totals) String() string {
	switch {
	case t.Verdicts == 0 && t.Others == 0:
		return "nothing changes for " + count(t.Crawlers, "crawler")
	case t.Verdicts == 0:
		return "no verdict changes for " + count(t.Crawlers, "crawler")
	case t.Verdicts == 1:
		return fmt.Sprintf("1 verdict changes, for %d of %s", t.Affected, count(t.Crawlers, "crawler"))
	default:
		return fmt.Sprintf("%d verdicts change, for %d of %s", t.Verdicts, t.Affected, count(t.Crawlers, "crawler"))
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// word returns the verdict of the rule that decides.
func word(r robots.Rule) string {
	if compare.Allowed(r) {
		return "allowed"
	}
	return "disallowed"
}

// some tells the first crawlers, and how many others there are.
func some(crawlers []string) string {
	const most = 3
	if len(crawlers) <= most+1 {
		return strings.Join(crawlers, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(crawlers[:most], ", "), len(crawlers)-most)
}

// where tells in which lines a changed rule is, and for whom.
func where(r compare.Rule) string {
	switch r.What() {
	case "new":
		return fmt.Sprintf("line %d, for %s", r.New.Line, some(r.To))
	case "gone":
		return fmt.Sprintf("was line %d, for %s", r.Old.Line, some(r.From))
	default:
		return fmt.Sprintf("line %d, was line %d, from %s to %s", r.New.Line, r.Old.Line, some(r.From), some(r.To))
	}
}

// ruleOf returns the rule that changed.
func ruleOf(r compare.Rule) robots.Rule {
	if r.What() == "gone" {
		return r.Old
	}
	return r.New
}

const noEffect = "changes no verdict"

func delay(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return d.String()
}

func whatOf(r compare.Record) string {
	if r.New {
		return "new"
	}
	return "gone"
}

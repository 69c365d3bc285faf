package review

import (
	"fmt"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
)

// An Other is a change that is no verdict, in words. The text is as the file has it: make
// it printable.
type Other struct {
	Kind   string `json:"kind"`   // rule, delay or record
	Change string `json:"change"` // new, gone, moved or now
	Text   string `json:"text"`
	Detail string `json:"detail"` // where, for whom, and whether it matters
}

// OfRule words a rule that changed.
func OfRule(r compare.Rule) Other {
	detail := where(r)
	if !r.Effect {
		detail += "; " + noEffect
	}
	return Other{"rule", r.What(), ruleOf(r).String(), detail}
}

// OfDelay words a delay that changed.
func OfDelay(d compare.Delay) Other {
	return Other{"delay", "now", delay(d.New), fmt.Sprintf("was %s, for %s", delay(d.Old), some(d.Crawlers))}
}

// OfRecord words a record that changed.
func OfRecord(r compare.Record) Other {
	detail := fmt.Sprintf("line %d", r.Line)
	if !r.New {
		detail = "was " + detail
	}
	if len(r.Agents) > 0 {
		detail += ", for " + some(r.Agents)
	}
	return Other{"record", whatOf(r), r.Key + ": " + r.Value, detail}
}

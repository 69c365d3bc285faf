package told

import (
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/robots/usage"
)

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

package told

import (
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/robots/usage"
)

// mostUses is how many uses are told. A file may name thousands.
const mostUses = 20

// A use is what a site says about one use, in JSON. The documentation of the command
// describes it.
type use struct {
	Use   usage.Use        `json:"use"`
	Says  usage.Preference `json:"says"`
	Line  int              `json:"line"`
	Value string           `json:"value"`
}

// usesOf returns what a statement says, each use once, with what decides.
func usesOf(s usage.Statement) (uses []use) {
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

func useOf(s usage.Said) use { return use{s.Use, s.Preference, s.Line, s.String()} }

// says tells what a site says about a use: yes, no, or only its name.
func (u use) says() string {
	if u.Says == usage.NotStated {
		return string(u.Use)
	}
	return string(u.Use) + " " + u.Says.String()
}

// usesInLine tells what a site says about the uses of a page, to be added to a line.
func usesInLine(v judge.Verdict) string {
	var all []string
	for _, u := range usesOf(v.Usage) {
		if u.Says != usage.NotStated {
			all = append(all, u.says())
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "; use: " + strings.Join(all, ", ")
}

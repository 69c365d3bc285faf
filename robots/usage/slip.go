package usage

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/robots"
)

// slipsOf returns the slips in a record, one for each use. Meant says that the record as a
// whole is a slip.
func slipsOf(r robots.UsageRecord, meant bool) []Said {
	source := sourceOf(r.Record)
	source.Outside = r.Outside
	return slipsIn(statementOf(source, r.Value), source, func(use Use) bool {
		return !meant && ofUse(use, r.Record).Preference != NotStated
	})
}

// slipsIn returns the slips in a statement that has a source, one for each use that the
// statement does not state.
func slipsIn(statement string, source Said, states func(Use) bool) (slips []Said) {
	if len(statement) > longestSlip {
		return nil
	}
	label, word := "", ""
	equals := false
	for next := range strings.FieldsSeq(mended.Replace(statement)) {
		switch {
		case next == "=":
			equals, label = true, word
		case equals:
			slips, equals = appendMeant(slips, source.Source, label, next), false
		}
		word = next
	}
	kept := slips[:0]
	for _, slip := range slips {
		if !states(slip.Use) {
			use, preference := slip.Use, slip.Preference
			slip = source
			slip.Use, slip.Preference, slip.Label, slip.Slip = use, preference, clipped(statement), true
			kept = append(kept, slip)
		}
	}
	return kept
}

// longestSlip is the longest statement that may be a slip, in octets. A longer one is
// something else.
const longestSlip = 4 << 10

// mended makes words of a statement: a label, "=" and a value.
var mended = strings.NewReplacer(
	"=", " = ", ":", " = ", ",", " ", ";", " ", `"`, " ", "'", " ", "_", "-",
	"\u00a0", " ", "\xa0", " ", "\u200b", "", "\ufeff", "",
)

// appendMeant appends what a label and a value mean, if that is clear. Of two slips about
// a use, the more restrictive counts.
func appendMeant(slips []Said, source, label, value string) []Said {
	use, preference := meantUse(label), meantPreference(value)
	if source == contentSignal && strings.EqualFold(label, "use") {
		if level := slices.Index(levels, Use(strings.ToLower(value))); level >= 0 {
			Said{}.eachLevel(level, func(s Said) bool {
				slips = appendSlip(slips, s)
				return true
			})
		}
	} else if use != "" && preference != NotStated {
		slips = appendSlip(slips, Said{Use: use, Preference: preference})
	}
	return slips
}

func appendSlip(slips []Said, slip Said) []Said {
	i := slices.IndexFunc(slips, func(s Said) bool { return s.Use == slip.Use })
	if i < 0 {
		return append(slips, slip)
	}
	slips[i].Preference = max(slips[i].Preference, slip.Preference)
	return slips
}

// meantUse returns the use that a label means, or "". Labels for which no text has a use
// mean nothing.
func meantUse(label string) Use {
	if len(label) > len("ai-training") {
		return ""
	}
	switch use := useOf(strings.ToLower(label)); use {
	case Search, AIInput, TrainAI:
		return use
	case "ai-training":
		return TrainAI
	}
	return ""
}

// meantPreference returns what a value means in the other signal.
func meantPreference(value string) Preference {
	switch {
	case strings.EqualFold(value, "no"), strings.EqualFold(value, "n"):
		return No
	case strings.EqualFold(value, "yes"), strings.EqualFold(value, "y"):
		return Yes
	}
	return NotStated
}

const longestLabel = 100 // octets of a slip

// clipped returns the beginning of a statement.
func clipped(statement string) string {
	if len(statement) <= longestLabel {
		return statement
	}
	end := longestLabel
	for end > longestLabel-utf8.UTFMax && !utf8.RuneStart(statement[end]) {
		end--
	}
	return statement[:end]
}

package sites

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-polite/polite"
)

// All yields the entries in their order. Each Match is in its one spelling.
func (t *Table) All() iter.Seq[Entry] {
	if t == nil {
		return slices.Values([]Entry(nil))
	}
	return func(yield func(Entry) bool) {
		for i, e := range t.entries {
			if !yield(e) {
				return
			}
			for _, other := range t.hours[i] {
				if !yield(other.entry) {
					return
				}
			}
		}
	}
}

// String returns the table as a text for [Parse]. It leaves out what a text does not have:
// Pace.Key, the Pace.Group of an entry of New, Site.Basis, and values that mean the same as zero.
func (t *Table) String() string {
	var b strings.Builder
	for e := range t.All() {
		b.WriteString(e.Match + cmp.Or(written(e), " default") + "\n")
	}
	return b.String()
}

func written(e Entry) (text string) {
	if e.Options.Pace != nil {
		text = cmp.Or(writtenPace(e.Options.Pace), " delay=0") + writtenGroup(e)
	}
	switch e.Options.Key {
	case "":
	case e.Match:
		text += " together"
	default:
		text += " together=" + e.Options.Key
	}
	if e.Options.Agreed {
		text += " agreed"
	}
	if e.Hours != "" {
		text = cmp.Or(text, " default") + " hours=" + e.Hours
	}
	return text
}

// writtenGroup returns the settings of a group that a text names.
func writtenGroup(e Entry) (text string) {
	if e.group == "" {
		return ""
	}
	text = " group=" + e.group
	if delay := span(e.Options.Pace.Group.MinDelay); delay != "" {
		text += " group-delay=" + delay
	}
	if requests := count(e.Options.Pace.Group.Concurrency); requests != "" {
		text += " group-concurrency=" + requests
	}
	return text
}

// writtenPace returns the settings that are not zero.
func writtenPace(p *polite.Pace) (text string) {
	set := func(name, value string) {
		if value != "" {
			text += " " + name + "=" + value
		}
	}
	set("delay", span(p.MinDelay))
	set("jitter", number64(p.Jitter))
	set("concurrency", count(p.Concurrency))
	set("max-delay", cmp.Or(map[time.Duration]string{polite.Forever: "any", polite.NoDelay: "none"}[p.MaxDelay], span(p.MaxDelay)))
	set("longer", map[bool]string{true: "refuse"}[p.RefuseLonger])
	set("backoff", map[bool]string{true: "off"}[p.Backoff.Off])
	set("max-wait", span(p.MaxWait))
	set("max-queue", cmp.Or(map[bool]string{true: "none"}[p.MaxQueue == polite.NoQueue], count(p.MaxQueue)))
	set("max-retry-after", span(min(p.MaxRetryAfter, day)))
	return text
}

// number64 returns a number as it is written; "" if it is not positive.
func number64(f float64) string {
	if !(f > 0) || math.IsInf(f, 0) {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// count returns a number as it is written; "" if it is not positive.
func count(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// span returns a duration as it is written; "" if it is not positive.
func span(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

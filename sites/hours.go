package sites

import (
	"fmt"
	"strconv"
	"strings"
)

// hours are hours of the day: bit 22 is from 22:00 to 23:00.
type hours uint32

// parseHours reads the Hours of an entry.
func parseHours(s string) (h hours, err error) {
	first, last, _ := strings.Cut(s, "-")
	from, noFrom := strconv.ParseUint(first, 10, 8)
	to, noTo := strconv.ParseUint(last, 10, 8)
	switch {
	case noFrom != nil || noTo != nil || from > 23 || to > 24:
		return 0, fmt.Errorf("hours: %.30q is no time of the day: write two whole hours, from 0 to 24, as in 22-6", s)
	case from == to%24:
		return 0, fmt.Errorf("hours: %.30q is the whole day: leave it out, or write two hours that differ, as in 22-6", s)
	}
	for hour := from; hour != to%24; hour = (hour + 1) % 24 {
		h |= 1 << hour
	}
	return h, nil
}

// have reports whether an hour is one of h.
func (h hours) have(hour int) bool { return h>>hour&1 == 1 }

// A timed is an entry that applies at some hours.
type timed struct {
	hours hours
	entry Entry
}

// A waiting is an entry with hours before all entries are added.
type waiting struct {
	timed
	match match
	name  string // of the entry, in errors
}

// addTimed adds an entry with hours.
func (t *Table) addTimed(e Entry, m match, name string) error {
	h, err := parseHours(e.Hours)
	switch {
	case err != nil:
		return err
	case t.taken[m.text]&h != 0:
		return fmt.Errorf("%s has some of the hours %s already: write each hour once", m.text, e.Hours)
	}
	t.taken[m.text] |= h
	e.Match = m.text
	t.waiting = append(t.waiting, waiting{timed{h, e}, m, name})
	return nil
}

// attach joins the entries with hours to those without. It returns an error for each that cannot be
// joined.
func (t *Table) attach() (problems []error) {
	for _, w := range t.waiting {
		at, there := t.index(w.match)
		switch text := w.match.text; {
		case !there:
			problems = append(problems, fmt.Errorf("%s: %s has hours, and nothing says what holds at all others: add it without hours, with default or with settings", w.name, text))
		case !w.entry.isLike(&t.entries[at]):
			problems = append(problems, fmt.Errorf("%s: together, agreed and group hold at all hours: write the same ones wherever %s is", w.name, text))
		default:
			t.hours[at] = append(t.hours[at], w.timed)
		}
	}
	t.waiting, t.taken = nil, nil
	return problems
}

// isLike reports whether requests that wait may go by the Pace of e as by that of other: they stay
// in the lane and in the group in which they came, and robots.txt counts for them or not.
func (e *Entry) isLike(other *Entry) bool {
	return e.Site.Key == other.Site.Key && e.Site.Agreed == other.Site.Agreed && e.group == other.group
}

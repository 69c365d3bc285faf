package sites

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// hours are a time of the day, in minutes. If to is not after from, it goes over midnight.
type hours struct{ from, to int }

// parseHours reads the Hours of an entry.
func parseHours(s string) (h hours, err error) {
	first, last, _ := strings.Cut(s, "-")
	from, to := minutes(first), minutes(last)
	switch {
	case from < 0 || to < 0 || from == dayMinutes:
		return h, fmt.Errorf("hours: %.30q is no time of the day: write two times, from 0 to 24, as in 22-6 or 22:30-6", s)
	case from == to%dayMinutes:
		return h, fmt.Errorf("hours: %.30q is the whole day: leave it out, or write two times that differ, as in 22-6", s)
	}
	return hours{from, to % dayMinutes}, nil
}

const dayMinutes = 24 * 60

// minutes returns the minutes from midnight until a time as in "22" or "22:30", or -1 if it is none.
func minutes(s string) int {
	text, rest, exact := strings.Cut(s, ":")
	hour, err := strconv.ParseUint(text, 10, 8)
	minute := uint64(0)
	if err == nil && exact {
		minute, err = strconv.ParseUint(rest, 10, 8)
	}
	if at := int(hour*60 + minute); err == nil && at <= dayMinutes && minute < 60 && (!exact || len(rest) == 2) {
		return at
	}
	return -1
}

// have reports whether a minute is one of h.
func (h hours) have(minute int) bool {
	if h.from < h.to {
		return h.from <= minute && minute < h.to
	}
	return h.from <= minute || minute < h.to
}

func (h hours) overlap(other hours) bool { return h.have(other.from) || other.have(h.from) }

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
	case slices.ContainsFunc(t.taken[m.text], h.overlap):
		return fmt.Errorf("%s has some of the hours %s already: write each hour once", m.text, e.Hours)
	}
	t.taken[m.text] = append(t.taken[m.text], h)
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
	return e.Options.Key == other.Options.Key && e.Options.Agreed == other.Options.Agreed && e.Options.MaxWait == other.Options.MaxWait && slices.Equal(e.Options.Purposes, other.Options.Purposes) && e.group == other.group
}

package sites

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origin"
)

// An Entry says what is different for some sites.
type Entry struct {
	// Match says which sites: an origin, a host, a domain or a pattern, as the package's
	// documentation explains.
	Match string

	// Options are what is different. The Key is without white space. MaxWait and Purposes have no
	// text.
	Options polite.Options

	// Hours are the time of the day at which the entry applies, as in "22-6" or "22:30-6:00": from 22:30
	// until 6:00, by time.Local. There must be another entry with the same Match and without Hours,
	// which applies at all other hours. Only the Pace may differ at some hours, without its Key and
	// Group. If "", the entry applies at any hour.
	Hours string

	group string // what the text says of Pace.Group; "" if it says nothing
}

// A Table says what is different for which sites. It does not change, and is safe for
// concurrent use. A nil Table is empty.
type Table struct {
	entries  []Entry               // each Match in its one spelling
	origins  map[origin.Origin]int // indices of entries
	others   map[named]int
	patterns []int // those of patterns, the longest first

	hours   map[int][]timed    // by the index of the entry that applies at all other hours
	waiting []waiting          // entries with hours, until attach
	taken   map[string][]hours // by them, of each Match
}

// maxPatterns is the number of patterns that a table may have with a * elsewhere than in
// front of a domain. A look-up tries them one by one.
const maxPatterns = 1000

// New returns a table of entries. It keeps what their Options point to: do not change it. The error
// names all entries that make no sense.
func New(entries ...Entry) (*Table, error) {
	t := empty()
	var problems []error
	for i, e := range entries {
		name := fmt.Sprintf("sites: entry %d", i)
		if err := t.add(e, name); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
		}
	}
	if len(problems) == 0 {
		problems = t.attach()
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	t.arrange()
	return t, nil
}

func empty() *Table {
	return &Table{origins: make(map[origin.Origin]int), others: make(map[named]int), hours: make(map[int][]timed), taken: make(map[string][]hours)}
}

// add adds an entry, which has a name in errors. When all are added, call attach and arrange.
func (t *Table) add(e Entry, name string) error {
	m, err := parseMatch(e.Match)
	if err != nil {
		return err
	}
	if hasSpace(e.Options.Key) {
		return fmt.Errorf("the key %.60q has white space: write a name without", e.Options.Key)
	}
	if e.Hours != "" {
		return t.addTimed(e, m, name)
	}
	if _, twice := t.index(m); twice {
		return fmt.Errorf("%s is there already: write all its settings in one place", m.text)
	}
	if m.kind == aPattern && len(t.patterns) == maxPatterns {
		return fmt.Errorf("there are more than %d patterns: write a domain, as in .example.com", maxPatterns)
	}
	at := len(t.entries)
	e.Match = m.text
	t.entries = append(t.entries, e)
	switch m.kind {
	case anOrigin:
		t.origins[m.origin] = at
	case aPattern:
		t.patterns = append(t.patterns, at)
		fallthrough
	default:
		t.others[m.named] = at
	}
	return nil
}

// index returns the index of the entry with the same match, if there is one.
func (t *Table) index(m match) (at int, there bool) {
	if m.kind == anOrigin {
		at, there = t.origins[m.origin]
	} else {
		at, there = t.others[m.named]
	}
	return at, there
}

// arrange puts the patterns into the order in which they apply.
func (t *Table) arrange() {
	slices.SortStableFunc(t.patterns, func(a, b int) int {
		return cmp.Compare(len(t.entries[b].Match), len(t.entries[a].Match))
	})
}

// Site returns the Options for the site of a request, or nil if nothing is different there. If the
// request has a Host, this Host names the site. The result belongs to the table: do not change it. Site
// allocates nothing if the host is in lower case.
func (t *Table) Site(req *http.Request) *polite.Options {
	if t == nil || !origin.IsHTTP(req.URL) {
		return nil
	}
	o, err := origin.OfRequest(req)
	if err != nil {
		return nil
	}
	o.Host, o.Dial = withoutDot(o.Host), ""
	at := t.find(o)
	if at < 0 {
		return nil
	}
	if other := t.hours[at]; other != nil {
		now := time.Now()
		minute := now.Hour()*60 + now.Minute()
		for i := range other {
			if other[i].hours.have(minute) {
				return &other[i].entry.Options
			}
		}
	}
	return &t.entries[at].Options
}

// find returns the index of the entry that applies to o, or -1.
func (t *Table) find(o origin.Origin) int {
	if at, ok := t.origins[o]; ok {
		return at
	}
	if at, ok := t.others[named{aHost, o.Host}]; ok {
		return at
	}
	best := -1
	if len(o.Host) <= longestName && !strings.Contains(o.Host, ":") {
		best = t.below(o.Host)
	}
	if at, ok := t.others[named{kind: everything}]; ok && best < 0 {
		return at
	}
	return best
}

// below returns the index of the longest entry for a domain or a pattern that host is in, or -1.
func (t *Table) below(host string) int {
	best := t.domain(host)
	for _, at := range t.patterns {
		if best >= 0 && !t.before(at, best) {
			break // the other patterns are not longer
		}
		if matches(t.entries[at].Match, host) {
			return at
		}
	}
	return best
}

// domain returns the index of the longest entry for a domain that host is in, or -1.
func (t *Table) domain(host string) int {
	if at, ok := t.others[named{aDomain, host}]; ok {
		return at
	}
	for {
		var more bool
		if _, host, more = strings.Cut(host, "."); !more {
			return -1
		}
		if at, ok := t.others[named{below, host}]; ok {
			return at
		}
		if at, ok := t.others[named{aDomain, host}]; ok {
			return at
		}
	}
}

// before reports whether entry a comes before entry b if both match.
func (t *Table) before(a, b int) bool {
	longer := len(t.entries[a].Match) - len(t.entries[b].Match)
	return longer > 0 || longer == 0 && a < b
}

package judge_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A measure is how fast the fleet was.
type measure struct {
	slack     map[string]time.Duration // by host: the median
	quiet     map[string]float64       // by host: the part of gap ÷ (gap + slack) that was used outside faults
	suffering map[string]float64       // … under faults
	share     float64                  // the least part of its share that a process had in a minute
	whose     string                   // … and where that was
	after     map[string]recovery      // the slowest, by fault
}

// A recovery is how long after a fault a lane went on.
type recovery struct {
	host        string
	took, bound time.Duration
	slack       time.Duration // of the start before or of this one, which is a part of the gap
}

// measured are the hosts whose throughput counts: nobody asks for breaks there, and
// connections are quick.
var measured = []string{"tenth.test", "second.test"}

// settles is how long after a fault its effects may last.
const settles = 3 * time.Second

func (f *fleet) measure(a *account) *measure {
	m := &measure{slack: make(map[string]time.Duration), quiet: make(map[string]float64), suffering: make(map[string]float64), after: make(map[string]recovery), share: 1}
	for _, host := range measured {
		if l := a.lanes[host]; l != nil && !f.double { // whose lanes stand still when its clock is set back
			f.throughput(m, a, pagesOf(a, host), l)
			f.share(m, a, pagesOf(a, host), host)
		}
	}
	for _, fault := range f.faults {
		for host, l := range a.lanes {
			f.recover(m, a, &fault, pagesOf(a, host), l)
		}
	}
	return m
}

func pagesOf(a *account, host string) (pages []visit) {
	for _, one := range a.visits {
		if one.host == host && !one.robots {
			pages = append(pages, one)
		}
	}
	return pages
}

// throughput measures what part of the time from one page to the next was needed.
func (f *fleet) throughput(m *measure, a *account, pages []visit, l *lane) {
	var needed, took [2]time.Duration
	var slacks []time.Duration
	for i := 1; i < len(pages); i++ {
		before, one := &pages[i-1], &pages[i]
		under, away := f.under(span{before.at - settles, one.at})
		if away || before.at < 2*settles {
			continue
		}
		slacks = append(slacks, before.slack)
		needed[under] += l.Delay + before.slack
		took[under] += one.at - before.at
	}
	if len(slacks) == 0 {
		return
	}
	slices.Sort(slacks)
	m.slack[l.Host] = slacks[len(slacks)/2]
	m.quiet[l.Host] = needed[0].Seconds() / max(took[0].Seconds(), 1e-9)
	m.suffering[l.Host] = needed[1].Seconds() / max(took[1].Seconds(), 1e-9)
}

// under reports whether a fault happened meanwhile (1 or 0), and whether the engine was away.
func (f *fleet) under(during span) (under int, isAway bool) {
	for _, fault := range f.faults {
		if fault.from < during.to && fault.to > during.from {
			under = 1
			isAway = isAway || fault.away
		}
	}
	return under, isAway
}

// share measures what part of its share a process had in each minute in which there were
// enough pages to tell, and in which it was neither killed nor stopped nor cut off.
func (f *fleet) share(m *measure, a *account, pages []visit, host string) {
	for from := 2 * settles; len(pages) > 0 && from+time.Minute < pages[len(pages)-1].at; from += 10 * time.Second {
		minute, counts, all := span{from, from + time.Minute}, make(map[int]int), 0
		for _, one := range pages {
			if one.at > minute.from && one.at < minute.to {
				counts[one.process]++
				all++
			}
		}
		for process := range a.lives {
			share := float64(counts[process]*f.processes) / float64(max(all, 1))
			if a.lives[process].wasWell(minute) && all >= 4*f.processes && share < m.share {
				m.share, m.whose = share, fmt.Sprintf("process %d, %s, from %v: %d of %d", process, host, from, counts[process], all)
			}
		}
	}
}

// wasWell reports whether a process lived on all the time.
func (l *life) wasWell(during span) bool {
	stopped := slices.ContainsFunc(l.stops, func(s span) bool { return s.from < during.to && s.to > during.from })
	lost := slices.ContainsFunc(l.lost, func(at time.Duration) bool { return at > during.from && at < during.to })
	return l.born < during.from && (l.killed == 0 || l.killed > during.to) && !stopped && !lost
}

// recover measures how long a lane needed to go on after a fault that was the only one.
func (f *fleet) recover(m *measure, a *account, fault *happened, pages []visit, l *lane) {
	if l.Rest > 0 || l.Breaks > 0 || l.Dial > 0 {
		return
	}
	for i, one := range pages {
		if i == 0 || one.at < fault.to {
			continue
		}
		for _, other := range f.faults {
			if other != *fault && other.from < one.at && other.to > fault.from {
				return
			}
		}
		slack := max(one.slack, pages[i-1].slack)
		took, bound := one.at-fault.to, 3*(l.longest()+slack)
		if l.Slots > 0 {
			bound += slotLease
		}
		if worst := m.after[fault.name]; float64(took)*float64(worst.bound) >= float64(worst.took)*float64(bound) {
			m.after[fault.name] = recovery{l.Host, took, bound, slack}
		}
		return
	}
}

// longest returns the longest gap that a process keeps.
func (l *lane) longest() (gap time.Duration) {
	for place := range max(len(l.Own), 1) {
		gap = max(gap, l.gap(place))
	}
	return gap
}

// slow says what is slower than it should be.
func (m *measure) slow() (slow []string) {
	add := func(format string, values ...any) { slow = append(slow, fmt.Sprintf(format, values...)) }
	for host := range m.slack {
		if part := m.quiet[host]; part < 0.9 {
			add("%s: %.0f%% of gap ÷ (gap + slack) outside faults", host, 100*part)
		}
		if part := m.suffering[host]; part < 0.7 {
			add("%s: %.0f%% of gap ÷ (gap + slack) under faults", host, 100*part)
		}
	}
	for name, worst := range m.after {
		if worst.took > worst.bound {
			add("after %q the next page of %s came %v later", name, worst.host, worst.took)
		}
	}
	if m.share < 0.5 {
		add("a process had %.0f%% of its share in a minute", 100*m.share)
	}
	return slow
}

func (f *fleet) report(a *account, v *verdict, m *measure) string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, format string, values ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, values...))
	}
	late := 0
	for _, p := range f.lives {
		late += p.late
	}
	row("run", "%v; %d processes at %d places; %d faults", f.site.now().Round(time.Second), len(f.lives), f.processes, len(f.faults))
	row("requests", "%d; by lane %v", len(a.visits), counts(a))
	row("gaps", "%d; the shortest %v beyond the delay; short: %d since the write was late, %d since the process was stopped right after the check, by up to %v; %d after a loss or a step", v.gaps, v.shortest, v.written, v.stopped, v.behind, v.early)
	row("under way at once", "%v; %d more since a process stood still, %d after a loss or a step", v.most, v.expired, v.freed)
	row("breaks", "%d; %d requests before their process could know, up to %v; %d in breaks that the engine lost", v.breaks, v.onWay, v.message, v.unknown)
	row("robots.txt", "%d asked for; again: %d lost holders, %d while the engine was away or had lost data, %d out of date", v.asks, v.holders, v.alone, v.renewed)
	row("turns that could not be reserved", "%d", late)
	row("slack, median", "%v", m.slack)
	row("of gap ÷ (gap + slack)", "outside faults %v; under faults %v", percent(m.quiet), percent(m.suffering))
	row("least share in a minute", "%.0f%% (%s)", 100*m.share, m.whose)
	for _, name := range slices.Sorted(maps.Keys(m.after)) {
		worst := m.after[name]
		row("after "+name, "%v (%s; bound %v, with a slack of %v)", worst.took.Round(ms), worst.host, worst.bound.Round(ms), worst.slack.Round(ms))
	}
	row("violations", "%d", len(v.violations))
	table.Flush()
	if len(v.violations) > 0 {
		for _, one := range f.faults {
			fmt.Fprintf(&b, "%v to %v: %s\n", one.from, one.to, one.name)
		}
	}
	for _, violation := range slices.Sorted(slices.Values(v.violations))[:min(20, len(v.violations))] {
		b.WriteString(violation + "\n")
	}
	return b.String()
}

func counts(a *account) map[string]int {
	counts := make(map[string]int)
	for _, one := range a.visits {
		if a.lanes[one.host] != nil {
			counts[strings.TrimSuffix(one.host, ".test")]++
		}
	}
	return counts
}

func percent(parts map[string]float64) map[string]string {
	text := make(map[string]string)
	for host, part := range parts {
		text[host] = fmt.Sprintf("%.0f%%", 100*part)
	}
	return text
}

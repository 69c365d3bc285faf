// Package timeline draws what arrived at a site from a fleet: as text for a terminal, and
// as a picture. Both depend on the log alone.
package timeline

import (
	"fmt"
	"time"
)

// A Log is what a site saw of a fleet, and what was done to its processes. All times are
// since the log began.
type Log struct {
	Processes int
	Gap       time.Duration // that the site asks for
	Length    time.Duration

	Arrivals []Arrival // in their order
	Killed   []Span    // from when processes were dead, to the end
	Paused   []Span    // while processes stood still
	Breaks   []Span    // in which the site wanted no requests; Process was told so
}

// An Arrival is a request as the site saw it.
type Arrival struct {
	At      time.Duration
	Process int // counted from 0
	Robots  bool
	Status  int // of the answer
}

// Told reports whether the site said to wait.
func (a Arrival) Told() bool { return a.Status >= 400 }

// A Span is a part of the life of a process.
type Span struct {
	Process  int
	From, To time.Duration
}

// Facts are what can be counted in a log.
type Facts struct {
	Pages, Robots int
	Shortest      time.Duration // between two pages; zero if there are fewer
	InBreaks      int           // requests that came in a break
}

// Facts counts.
func (l *Log) Facts() (f Facts) {
	last := time.Duration(-1)
	for _, a := range l.Arrivals {
		for _, b := range l.Breaks {
			if b.From < a.At && a.At < b.To {
				f.InBreaks++
			}
		}
		if a.Robots {
			f.Robots++
			continue
		}
		if gap := a.At - last; last >= 0 && (f.Shortest == 0 || gap < f.Shortest) {
			f.Shortest = gap
		}
		last = a.At
		f.Pages++
	}
	return f
}

// tolerance is how much sooner than the gap a request may arrive: times are not exact.
const tolerance = 2 * time.Millisecond

// Broken tells what the fleet did not keep to. It is empty if all was kept.
func (l *Log) Broken() (broken []string) {
	f := l.Facts()
	if f.Pages > 1 && f.Shortest < l.Gap-tolerance {
		broken = append(broken, fmt.Sprintf("two requests were only %s apart", ms(f.Shortest)))
	}
	if f.Robots != 1 {
		broken = append(broken, fmt.Sprintf("robots.txt was asked for %d times", f.Robots))
	}
	if f.InBreaks > 0 {
		broken = append(broken, fmt.Sprintf("%d requests came in a break", f.InBreaks))
	}
	return broken
}

// Story tells the facts, a sentence a line.
func (l *Log) Story() []string {
	f := l.Facts()
	lines := []string{fmt.Sprintf("%d requests of %d processes: %d for robots.txt and %d for pages.", f.Robots+f.Pages, l.Processes, f.Robots, f.Pages)}
	if f.Pages > 1 {
		lines = append(lines, fmt.Sprintf("The site asks for a gap of %s. The shortest was %s.", ms(l.Gap), ms(f.Shortest)))
	}
	for _, k := range l.Killed {
		lines = append(lines, fmt.Sprintf("Process %d was killed after %s.", k.Process+1, tenths(k.From)))
	}
	for _, p := range l.Paused {
		lines = append(lines, fmt.Sprintf("Process %d stood still for %s.", p.Process+1, tenths(p.To-p.From)))
	}
	for _, b := range l.Breaks {
		lines = append(lines, fmt.Sprintf("Process %d was told to wait for %s. Until then %s came.", b.Process+1, tenths(b.To-b.From), none(f.InBreaks)))
	}
	return lines
}

// share returns which part of the log is over at a time, from 0 to 1.
func (l *Log) share(at time.Duration) float64 {
	if l.Length <= 0 {
		return 0
	}
	return min(max(float64(at)/float64(l.Length), 0), 1)
}

// Ticks returns the times of the rulers.
func (l *Log) Ticks() (all []time.Duration) {
	apart := time.Second
	for l.Length/apart > 8 {
		apart *= 2
	}
	for at := time.Duration(0); at <= l.Length; at += apart {
		all = append(all, at)
	}
	return all
}

func none(n int) string {
	if n == 0 {
		return "nothing"
	}
	return fmt.Sprint(n)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.0f s", d.Seconds()) }

func tenths(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func ms(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

package glance

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/store/redisfleet"
)

// Text tells what was read. What others wrote is made printable.
func (g *Glance) Text() string {
	var b strings.Builder
	b.WriteString(g.counts.text())
	lanes, claims := g.lanes.first(g.Most), g.claims.first(g.Most)
	if len(lanes) > 0 {
		b.WriteString("\n    wait   break  reserved  slots  lane\n")
	}
	for _, l := range lanes {
		b.WriteString(l.text())
	}
	if len(claims) > 0 {
		b.WriteString("\n   still  fetches robots.txt\n")
	}
	for _, r := range claims {
		fmt.Fprintf(&b, "%8s  %s  (token %s)\n", span(r.Claim), claimed(r), printable.Text(r.Token))
	}
	return b.String()
}

func (c *counts) text() string {
	lanes := fmt.Sprintf("%d: %d waiting, %d in a break; %d starts reserved, %d slots taken", c.Lanes, c.Waiting, c.Breaks, c.Reserved, c.Slots)
	entries := fmt.Sprintf("%d, and %d being fetched", c.Entries, c.Claims)
	return "lanes    " + lanes + damaged(c.DamagedLanes) + "\n" +
		"entries  " + entries + damaged(c.DamagedEntries) + "\n" +
		fmt.Sprintf("bytes    %d in lanes, %d in entries, without what the server adds\n", c.LaneBytes, c.EntryBytes)
}

func damaged(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %d damaged", n)
}

// shownSlots is how many slots of a lane have a line.
const shownSlots = 8

func (l *lane) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%8s  %6s  %8d  %5d  %s\n", span(l.Wait), span(l.Break), l.reserved, l.taken, l.called())
	for _, s := range l.Slots[:min(len(l.Slots), shownSlots)] {
		fmt.Fprintf(&b, "%33s  slot of token %s for %s\n", "", printable.Text(s.Token), span(s.Left))
	}
	if more := l.taken - shownSlots; more > 0 {
		fmt.Fprintf(&b, "%33s  and %d more slots\n", "", more)
	}
	return b.String()
}

// called returns how a lane is called in a line: by its key if it has no name.
func (l *lane) called() string {
	name := excerpt(l.Name)
	if l.Name == "" {
		name = printable.Text(l.Key)
	}
	if l.Damaged {
		name += "  (damaged)"
	}
	return name
}

// claimed names the robots.txt that is fetched. If it is fetched again, the server does not
// keep its name.
func claimed(r redisfleet.Entry) string {
	if r.Name == "" {
		return "again, for the entry " + printable.Text(r.Key)
	}
	return excerpt(r.Name)
}

// excerpt returns the beginning of a name in one line.
func excerpt(name string) string {
	const most = 100
	n := 0
	for i := range name {
		if n++; n > most {
			return printable.Text(name[:i]) + "..."
		}
	}
	return printable.Text(name)
}

// span tells a time. Zero is "-".
func span(d time.Duration) string {
	switch {
	case d <= 0:
		return "-"
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	default:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
}

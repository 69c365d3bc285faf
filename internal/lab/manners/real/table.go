package main

import (
	"fmt"
	"io"
)

// printTable prints the table as Markdown.
func printTable(w io.Writer, sites []site, clients []client, results [][]result) {
	fmt.Fprint(w, "| the site |")
	for _, c := range clients {
		fmt.Fprintf(w, " %s |", c.name)
	}
	fmt.Fprint(w, "\n|---|")
	for range clients {
		fmt.Fprint(w, "---|")
	}
	fmt.Fprintln(w)
	for i, s := range sites {
		fmt.Fprintf(w, "| %s |", s.name)
		if s.rate == 0 {
			s.rate = results[i][0].rate() // of the first client, which just sends
		}
		for _, r := range results[i] {
			fmt.Fprintf(w, " %s |", r.cell(s.allows(r.took)))
		}
		fmt.Fprintln(w)
	}
}

// rate returns how many pages a second there were.
func (r result) rate() float64 { return float64(r.good) / r.took.Seconds() }

// cell tells the good pages of those that are allowed, the bad answers of all, and how long
// an answer took at most.
func (r result) cell(allowed float64) string {
	return fmt.Sprintf("%s / %s / %.1f s", percent(float64(r.good), allowed), percent(float64(r.bad), float64(r.good+r.bad)), r.longest.Seconds())
}

func percent(part, of float64) string {
	switch p := 100 * part / max(of, 1); {
	case p == 0:
		return "0"
	case p < 10 || p > 99 && p < 100: // what is not all is not called all
		return fmt.Sprintf("%.1f", min(p, 99.9))
	default:
		return fmt.Sprintf("%.0f", p)
	}
}

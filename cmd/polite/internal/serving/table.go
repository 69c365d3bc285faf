package serving

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

// Table tells what each origin of a site answers, a line each, on a terminal with so many
// columns; 0 is for any number. It is "" if the site has one origin.
func Table(s Site, style terminal.Style, columns int) string {
	if len(s.Others) == 0 {
		return ""
	}
	rows := [][4]string{{"HOST", "RULES", "KEPT FOR", "ANSWER"}, row(s.Answer, s.Answer)}
	for _, other := range s.Others {
		if other.Origin != "" { // else nobody could be asked
			rows = append(rows, row(s.Answer, other))
		}
	}
	var widths [3]int
	for _, r := range rows {
		for i := range widths {
			widths[i] = max(widths[i], len(r[i]))
		}
	}
	var b strings.Builder
	for i, r := range rows {
		line := fmt.Sprintf("%-*s  %-*s  %-*s  %s", widths[0], r[0], widths[1], r[1], widths[2], r[2], r[3])
		line = terminal.Fold(strings.TrimRight(line, " "), columns, widths[0]+2)
		if i == 0 {
			line = style.Bold(line)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// row tells what an origin of the site of a answers.
func row(a, other Answer) [4]string {
	return [4]string{printable.Text(other.Origin), counts(a, other), kept(other), printable.Text(answer(other))}
}

// counts tells which rules count at an origin, in a word or two.
func counts(a, other Answer) string {
	switch {
	case !other.HasFile() && other.Allowed:
		return "allows all"
	case !other.HasFile():
		return "allows none"
	case other.RobotsURL == a.RobotsURL:
		return "its own"
	case relation(a, other) == same:
		return "the same"
	default:
		return "others"
	}
}

// kept tells for how long crawlers keep an answer.
func kept(a Answer) string {
	if a.Status == 0 || !a.HasFile() {
		return "-"
	}
	return duration(a.lifetime())
}

// answer tells what came back from an origin.
func answer(a Answer) string {
	if !a.HasFile() {
		return "robots.txt " + said(a)
	}
	parts := []string{fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status))}
	if a.Text != nil {
		parts = append(parts, amount(a))
	}
	if len(a.Hops) > 0 {
		parts = append(parts, "from "+a.At())
	}
	return strings.Join(parts, ", ")
}

// amount tells how large a file is, measured by what crawlers read.
func amount(a Answer) string {
	text := size(len(a.Text.Body))
	if len(a.Text.Body) > robots.MaxSize {
		text = "more than 500 KiB"
	}
	if a.Text.Packed {
		text += " (compressed)"
	}
	return text
}

package story

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/told"
)

// Form tells each verdict as a story.
func Form(style terminal.Style) told.Form {
	return told.Each(func(v judge.Verdict) string { return Of(v).paint(style) }, "\n")
}

// paint returns the story as it is shown on a terminal.
func (s Story) paint(style terminal.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n\n", s.Verdict.Paint(style, string(s.Verdict)), s.URL)
	for _, e := range s.Entries {
		name := e.Name
		for _, line := range e.Lines {
			fmt.Fprintf(&b, "  %s  %s\n", style.Bold(fmt.Sprintf("%-10s", name)), line)
			name = ""
		}
	}
	if len(s.Picture) > 0 {
		b.WriteString("\n")
	}
	for i, line := range s.Picture {
		if i > 0 && line.Line > s.Picture[i-1].Line+1 {
			b.WriteString(style.Dim("         ...") + "\n")
		}
		b.WriteString(s.source(style, line) + "\n")
	}
	return b.String()
}

// source returns a line of the picture.
func (s Story) source(style terminal.Style, line Line) string {
	if !line.Decides {
		return fmt.Sprintf("  %6d | %s", line.Line, line.Text)
	}
	return fmt.Sprintf("%s %6d | %s", s.Verdict.Paint(style, ">"), line.Line, s.Verdict.Paint(style, line.Text))
}

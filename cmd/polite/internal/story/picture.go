package story

import (
	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
)

// A Line is a line of the file.
type Line struct {
	Line    int    `json:"line"`
	Text    string `json:"text"`
	Decides bool   `json:"decides"`
}

// mostLines is how many lines of a file are shown, besides the one that decides.
const mostLines = 20

// picture returns the lines of the file that matter, and marks the one that decides.
func picture(v judge.Verdict) []Line {
	lines := []Line{}
	for _, line := range v.Lines {
		decides := v.Decision.Reason == polite.ReasonRule && line.Number == v.Decision.Rule.Line
		if len(lines) < mostLines || decides {
			lines = append(lines, Line{line.Number, terminal.Excerpt(line.Text), decides})
		}
	}
	return lines
}

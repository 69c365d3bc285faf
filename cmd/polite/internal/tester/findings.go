package tester

import (
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/lint"
)

// A finding is one of lint.
type finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`
	More     int    `json:"more"`
	Edit     *edit  `json:"edit"` // what to write; nil if it is not one edit of one line
}

// An edit is a [lint.Edit]. Its text goes into the file, and so is as it is.
type edit struct {
	Line int    `json:"line"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

func findingsOf(body []byte) []finding {
	all := []finding{}
	for _, f := range lint.Lint(body) {
		told := finding{f.ID, f.Severity.String(), f.Line, f.Column, printable.Text(f.Message), f.More, nil}
		if e := f.Edit; e != nil {
			told.Edit = &edit{f.Line, e.From, e.To, e.Text}
		}
		all = append(all, told)
	}
	return all
}

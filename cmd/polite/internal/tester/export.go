package tester

import (
	"bytes"
	"context"
	"net/http"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
)

// export returns what "polite check" writes, and its content type.
func (f form) export(ctx context.Context) (kind string, body []byte, err error) {
	who, err := readAgent(f.request.Agent)
	if err != nil {
		return "", nil, err
	}
	kind, form, err := f.exportForm()
	if err != nil {
		return "", nil, err
	}
	whole := f.request.Format == "json" || f.tellsStory()
	j := judge.New(judge.Options{Crawlers: [][]string{who.Tokens}, File: fileName, Body: f.text, Explain: whole})
	var b bytes.Buffer
	for i, u := range f.urls {
		if ctx.Err() != nil {
			return "", nil, context.Cause(ctx)
		}
		b.WriteString(form.Tell(j.Judge(ctx, u.Question), i == 0))
		if b.Len() > mostExported {
			return "", nil, failure{http.StatusRequestEntityTooLarge, "The export is longer than 64 MiB: export fewer URLs at a time, or as CSV."}
		}
	}
	return kind, b.Bytes(), nil
}

// exportForm returns the form of an export, and its content type.
func (f form) exportForm() (kind string, form report.Form, err error) {
	format := f.request.Format
	switch {
	case format == "csv":
		return "text/csv; charset=utf-8", report.CSV(), nil
	case format == "json":
		return "application/x-ndjson", report.JSON(), nil
	case format != "text":
		return "", report.Form{}, bad("%q is no format: there is text, csv, json.", format)
	case f.tellsStory():
		return "text/plain; charset=utf-8", report.Whole(terminal.Style{}), nil
	default:
		return "text/plain; charset=utf-8", report.Lines(terminal.Style{}), nil
	}
}

// tellsStory reports whether the command tells the whole story: of one URL it does.
func (f form) tellsStory() bool { return f.request.Format == "text" && len(f.urls) == 1 }

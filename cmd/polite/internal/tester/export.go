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
	kind, form, err := f.request.form()
	if err != nil {
		return "", nil, err
	}
	whole := f.request.Format == "json" || f.request.tellsStory()
	j := judge.New(judge.Options{Crawlers: [][]string{who.Tokens}, File: fileName, Body: f.text, Explain: whole})
	var b bytes.Buffer
	for i, q := range f.request.questions() {
		if ctx.Err() != nil {
			return "", nil, context.Cause(ctx)
		}
		b.WriteString(form.Tell(j.Judge(ctx, q), i == 0))
		if b.Len() > mostExported {
			return "", nil, failure{http.StatusRequestEntityTooLarge, "The export is longer than 64 MiB: export fewer URLs at a time, or as CSV."}
		}
	}
	return kind, b.Bytes(), nil
}

// form returns the form of an export, and its content type.
func (r request) form() (kind string, form report.Form, err error) {
	switch {
	case r.Format == "csv":
		return "text/csv; charset=utf-8", report.CSV(), nil
	case r.Format == "json":
		return "application/x-ndjson", report.JSON(), nil
	case r.Format != "text":
		return "", report.Form{}, bad("%q is no format: there is text, csv, json.", r.Format)
	case r.tellsStory():
		return "text/plain; charset=utf-8", report.Whole(terminal.Style{}), nil
	default:
		return "text/plain; charset=utf-8", report.Lines(terminal.Style{}), nil
	}
}

// tellsStory reports whether the command tells the whole story: of one URL it does.
func (r request) tellsStory() bool { return r.Format == "text" && len(r.URLs) == 1 }

package check

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// An examiner compares verdicts with those that a file expects.
type examiner struct {
	*options
	by    judge.Options
	lists input.Lists
	style terminal.Style
	out   io.Writer
	work  *report.Work
	std   verb.Streams

	judges              map[string]*judge.Judge // by the crawler
	tap                 *robotstxt.Tap          // has the texts of sites
	texts               map[string]error        // why nothing is to be expected of one, by its URL
	origin              string                  // of all URLs, if a file is gone by
	host                string                  // of the first sitemap that this file names; "" for none
	sitemaps            map[string]bool         // the sitemaps that it names, and their hosts
	list                string                  // that has the URL; "" if the line has it
	head                input.Head              // of the file
	expected, unmet     int
	unreachable, failed int // of those that are expected
	wrong               int // lines that make no sense
	annotated           int
}

// annotate shows a message at a line of the file, if this is a step of GitHub Actions.
func (e *examiner) annotate(line int, text string) {
	if e.quiet || e.annotated == report.MostAnnotations {
		return
	}
	e.annotated++
	file := e.expect
	if file == "-" {
		file = ""
	}
	io.WriteString(e.std.Err, report.Annotation("error", file, line, text))
}

// mostWrong is how many lines that make no sense are told, if no line does. Then it is
// another file that was meant.
const mostWrong = 10

// run tells the verdicts that are not as the file says.
func (e *examiner) run(ctx context.Context) error {
	in, err := input.OpenFile(ctx, e.expect, e.std)
	if err != nil {
		return err
	}
	defer in.Close()
	if e.by.Cache == nil {
		e.by.Cache = new(polite.Cache) // so that a site is asked once for all crawlers
	}
	if e.by.File != "" {
		if err := e.vetFile(); err != nil {
			return err
		}
	}
	e.tap = robotstxt.TapOf(e.by.Base)
	e.by.Base, e.judges, e.texts = e.tap, make(map[string]*judge.Judge), make(map[string]error)
	for line, err := range input.Expected(io.TeeReader(in, &e.head)) {
		switch err := e.each(ctx, line, err); {
		case err == nil:
			e.work.Next()
		case ctx.Err() == nil:
			return err
		}
		if ctx.Err() != nil || e.expected == 0 && e.wrong == mostWrong {
			break
		}
	}
	return e.conclude(e.work.Interrupted(ctx))
}

// each compares the verdict on a line, or those on the URLs of a sitemap that the line names.
// It returns an error if it cannot write.
func (e *examiner) each(ctx context.Context, line input.Expectation, err error) error {
	var ok bool
	if e.list, ok = strings.CutPrefix(line.URL, "sitemap:"); err != nil || !ok {
		e.list = ""
		return e.compare(ctx, line, err)
	}
	empty := true
	for u, err := range e.lists.URLs(ctx, e.list) {
		empty, line.URL = false, u
		if err := e.compare(ctx, line, err); err != nil {
			return err
		}
	}
	if empty {
		return e.compare(ctx, line, fmt.Errorf("%s names no URL: write a sitemap that does", verb.Shown(e.list)))
	}
	return nil
}

// compare compares the verdict on a URL with what the line expects. It returns an error if
// it cannot write.
func (e *examiner) compare(ctx context.Context, line input.Expectation, err error) error {
	place := fmt.Sprintf("%s:%d", e.name(), line.Number)
	var q judge.Question
	var v judge.Verdict
	if err == nil {
		q, err = e.vet(line.URL)
	}
	if err == nil {
		v = e.judge(line.Tokens).Judge(ctx, q)[0]
		err = e.vetVerdict(line, v)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		e.wrong++
		e.std.Warning("check")(fmt.Errorf("%s: %w", place, err))
		e.annotate(line.Number, verb.Message(err))
		return nil
	}
	e.expected++
	outcome := report.OutcomeOf(v.Decision, v.Err)
	switch {
	case outcome == report.Failed:
		e.failed++
	case outcome == report.Unreachable:
		e.unreachable++
	case v.Decision.Allowed == line.Allowed:
		return nil
	default:
		e.unmet++
	}
	text := report.Unexpected(e.style, place, line.Crawler, line.Allowed, v)
	if e.json {
		text = report.UnexpectedJSON(place, line.Allowed, v)
	}
	if _, err = io.WriteString(e.out, text); err == nil {
		e.annotate(line.Number, report.Unexpected(terminal.Style{}, "", line.Crawler, line.Allowed, v))
	}
	return err
}

// name returns the name of the file of --expect, as it is shown.
func (e *examiner) name() string {
	if e.expect == "-" {
		return "stdin"
	}
	return verb.Beginning(verb.Shown(e.expect))
}

// mostJudges is how many crawlers are kept in mind.
const mostJudges = 1000

// judge returns the judge for a crawler.
func (e *examiner) judge(tokens []string) *judge.Judge {
	name := strings.Join(tokens, ",")
	if e.judges[name] == nil {
		if len(e.judges) == mostJudges {
			clear(e.judges)
		}
		by := e.by
		by.Crawlers = [][]string{tokens}
		e.judges[name] = judge.New(by)
	}
	return e.judges[name]
}

// conclude tells how much was not as expected, and returns the exit status. What could not
// be compared counts more than what is different. interrupted says why not all was compared; nil for all.
func (e *examiner) conclude(interrupted error) error {
	if instead := e.head.Instead(verb.Shown(e.expect)); interrupted == nil && e.expected == 0 && (e.wrong == 0 || instead != "") {
		return fmt.Errorf("%s expects nothing%s", e.name(), instead)
	}
	if !e.quiet && e.expected+e.wrong > 0 {
		fmt.Fprintln(e.std.Err, e.summary())
	}
	switch {
	case interrupted != nil:
		return interrupted
	case e.failed+e.wrong > 0:
		return verb.Failed
	case e.unreachable > 0:
		return verb.Unreachable
	case e.unmet > 0:
		return verb.Disallowed
	}
	return nil
}

// summary tells how many verdicts are not as expected, and how much could not be compared.
func (e *examiner) summary() string {
	text := fmt.Sprintf("%d of %d verdicts are not as expected", e.unmet, e.expected)
	if unknown := e.failed + e.unreachable; unknown > 0 {
		text += fmt.Sprintf(", %d not known", unknown)
	}
	if e.wrong > 0 {
		text += ", " + verb.Count(e.wrong, "error")
	}
	return text
}

package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"iter"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

type checkOptions struct {
	agents
	file      string // "" if sites are asked
	sites     string // the file of --sites; "" for none
	expect    string // the file of --expect; "" for none
	urls      string // the list of URLs, if there are no questions; "-" for standard input
	json, csv bool
	quiet     bool // write nothing
	colour    terminal.Colour
	timeout   time.Duration // 0 for as long as polite waits
	cache     cachefile.Options
	whole     bool             // the whole story of each
	questions []judge.Question // none if they are in a list
}

func parseCheck(ctx context.Context, args []string, std verb.Streams) (checkOptions, error) {
	var o checkOptions
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.Func("A", "", o.add)
	flags.Func("f", "", func(file string) error {
		if o.file != "" {
			return errors.New("there is one already: check the files one by one")
		}
		o.file = file
		return nil
	})
	flags.StringVar(&o.sites, "sites", "", "")
	flags.StringVar(&o.expect, "expect", "", "")
	flags.StringVar(&o.urls, "urls", "", "")
	flags.BoolVar(&o.whole, "v", false, "")
	flags.BoolVar(&o.json, "json", false, "")
	flags.BoolVar(&o.csv, "csv", false, "")
	verb.Quiet(flags, &o.quiet, "q")
	o.colour.Flag(flags)
	verb.Time(flags, "timeout", &o.timeout)
	o.cache.Anew, o.cache.InBreak = true, true
	o.cache.Flag(flags)
	args, err := verb.Parse(flags, args)
	if err != nil {
		return o, err
	}
	if err := o.take(ctx, args, std); err != nil {
		return o, verb.Misused("check", err)
	}
	return o, nil
}

// take takes the arguments that are not flags. The error is that of a use that makes no
// sense.
func (o *checkOptions) take(ctx context.Context, args []string, std verb.Streams) error {
	if err := o.makesSense(args); err != nil || o.expect != "" {
		return err
	}
	if len(o.crawlers) == 0 {
		tokens, _ := judge.ParseAgent(verb.UserAgent())
		o.crawlers = [][]string{tokens}
	}
	return o.ask(ctx, args, std)
}

// makesSense returns an error if flags contradict each other, or the arguments.
func (o *checkOptions) makesSense(args []string) error {
	switch {
	case input.IsURL(o.file):
		return errors.New("-f takes a file: leave it out to ask the site")
	case o.file != "" && o.sites != "":
		return errors.New("-f or --sites? with -f, no site is asked, and none has agreed")
	case o.json && o.csv:
		return errors.New("--json or --csv? there is one output")
	case o.expect == "":
		return nil
	case len(args) > 0 || o.urls != "":
		return errors.New("--expect or URLs? the file of --expect has the URLs")
	case len(o.crawlers) > 0:
		return errors.New("--expect or -A? the file of --expect has the crawlers")
	case o.expect == "-" && o.file == "-":
		return errors.New("standard input twice: it can be read once")
	case o.csv:
		return errors.New("--expect or --csv? what is not as expected is text or --json")
	default:
		return nil
	}
}

// ask makes questions of the arguments that are not flags, or names the list that has them.
func (o *checkOptions) ask(ctx context.Context, args []string, std verb.Streams) error {
	fromStdin := o.urls == "-" || o.urls == "" && (len(args) == 0 || len(args) == 1 && args[0] == "-")
	switch {
	case fromStdin && o.file == "-":
		return errors.New("which URL? standard input is the file of -f")
	case o.urls != "" && len(args) > 0:
		return errors.New("--urls or URLs? --urls names a list of all URLs")
	case o.urls == "" && len(args) == 0 && terminal.Is(std.In):
		return errors.New("which URL? write it as in https://example.com/")
	case fromStdin:
		o.urls = "-"
		return nil
	case o.urls != "":
		return input.VetRobots(ctx, o.urls)
	}
	for _, arg := range args {
		q := o.question(arg)
		if q.Err != nil {
			return input.NotList(arg, q.Err, o.instead())
		}
		o.questions = append(o.questions, q)
	}
	if len(o.questions)*len(o.crawlers) == 1 {
		o.whole = true
	}
	return nil
}

// instead says what to write for a file that is taken for a URL.
func (o *checkOptions) instead() string {
	if o.file == "" {
		return "write -f before it to go by this robots.txt, or --urls to read URLs from it, as in --urls %s"
	}
	return "write --urls before it to read URLs from it, as in --urls %s"
}

func (o *checkOptions) question(arg string) judge.Question {
	return input.Question(arg, o.file != "")
}

// form returns the form that the options ask for, for a terminal with so many columns; 0
// is for what is no terminal.
func (o *checkOptions) form(s terminal.Style, columns int) report.Form {
	switch {
	case o.json:
		return report.JSON()
	case o.csv:
		return report.CSV()
	case o.whole:
		return report.Whole(s)
	case len(o.crawlers) > 1:
		return report.Table(s, o.crawlers, columns, o.longest())
	default:
		return report.Lines(s)
	}
}

// longest returns the length of the longest URL, or a usual one if none is known.
func (o *checkOptions) longest() int {
	if len(o.questions) == 0 {
		return len("https://example.com/some-page")
	}
	longest := 0
	for _, q := range o.questions {
		longest = max(longest, len(q.Name))
	}
	return longest
}

// output returns where the verdicts go.
func (o *checkOptions) output(w io.Writer) io.Writer {
	if o.quiet {
		return io.Discard
	}
	return w
}

// work tells how far the command is.
func (o *checkOptions) work(std verb.Streams) *report.Work {
	return &report.Work{Line: terminal.ProgressOn(o.output(std.Err)), Done: "checked", Total: len(o.questions)}
}

// noted yields the questions, and notes for work which sites they ask.
func (o *checkOptions) noted(work *report.Work, all iter.Seq[judge.Question]) iter.Seq[judge.Question] {
	return func(yield func(judge.Question) bool) {
		for q := range all {
			u := q.URL
			if o.file != "" {
				u = nil // nobody is asked
			}
			work.Ask(u)
			if !yield(q) {
				return
			}
		}
	}
}

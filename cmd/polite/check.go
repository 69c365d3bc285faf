package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const checkUsage = `usage: polite check [-A agent]... [-f file] [-v] [--json] [URL...]

Tells whether robots.txt allows the URLs, and why: which group speaks, which rules
match, and which of them decides. The pages are not asked for.

For one URL it tells the whole story, for several a line each, for several agents
a table; the number after a verdict there is the line of robots.txt that decides.
Without URLs, or for "-", they are read from standard input, one a line.

    -A agent    for which crawler: its name (GPTBot), all of its names with the
                most specific first (ExampleBot-News,ExampleBot), or the User-Agent
                that it sends. May be repeated. If left out, it is polite itself.
                What Google says of its own counts: Googlebot-Image goes by
                Googlebot too, AdsBot-Google does not go by "*", and so on
    -f file     go by this robots.txt, or that on standard input for "-". Nothing
                is asked for, and a URL may be a path alone: /private/x
    -v          tell the whole story of each
    --json      write a JSON object a line

robots.txt is asked for in the name of polite, not of the agents: a site that
gives each crawler a robots.txt of its own gives polite's. What it means that it
cannot be had is told by the default Policy of package polite; for another, ask
Transport.Check.

Exit status, of the first URL that is not allowed:

    0   all are allowed
    1   failed: a line of standard input is no URL, an interrupt, ...
    2   usage: nothing was asked for
    3   disallowed by robots.txt
    4   robots.txt is unreachable, or the file of -f is not readable
`

// atOnce is how many sites are asked for their robots.txt at the same time.
const atOnce = 8

func check(ctx context.Context, args []string, std stdio) error {
	o, err := parseCheck(args, std)
	if err != nil {
		return err
	}
	j := judgeFor(o.crawlers, http.DefaultTransport)
	for _, q := range o.questions {
		if err := makesSense(ctx, j.crawlers[0].transport, q.url); err != nil {
			return misused("check", err)
		}
	}
	if o.file != "" {
		if err := j.goBy(ctx, o.file, std); err != nil {
			return err
		}
	}
	if o.whole || o.json {
		j.explain()
	}
	t := teller{o.form(styleFor(std.out)), std.out, o.progress(std.err)}
	return t.tell(ctx, inOrder(o.all(ctx, std), atOnce, j.on(ctx)))
}

// A teller writes verdicts.
type teller struct {
	form     form
	out      io.Writer
	progress *progress
}

// tell writes all verdicts. The error is the exit status of the first that does not
// allow.
func (t teller) tell(ctx context.Context, all iter.Seq[[]verdict]) error {
	status, told := exitOK, 0
	defer t.progress.clear()
	for verdicts := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.progress.clear()
		if _, err := io.WriteString(t.out, t.form.tell(verdicts, told == 0)); err != nil {
			return err
		}
		told++
		t.progress.show("%d checked", told)
		for _, v := range verdicts {
			status = cmp.Or(status, v.status())
		}
	}
	return status.orNil()
}

// progress tells that there is something to wait for.
func (o *checkOptions) progress(w io.Writer) *progress {
	p := new(progress)
	switch {
	case len(o.questions) != 1:
		p = progressOn(w)
		p.show("0 checked")
	case o.file == "":
		p = progressOn(w)
		p.show("asking for robots.txt")
	}
	return p
}

type checkOptions struct {
	crawlers  [][]string // the product tokens of each
	file      string     // "" if sites are asked
	json      bool
	whole     bool       // the whole story of each
	questions []question // none if they are on standard input
}

// A question is a URL to judge.
type question struct {
	name string // as it is told
	url  *url.URL
	err  error // why it is no URL
}

func parseCheck(args []string, std stdio) (checkOptions, error) {
	var o checkOptions
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.Func("A", "", func(agent string) error {
		tokens, err := parseAgent(agent)
		o.crawlers = append(o.crawlers, tokens)
		return err
	})
	flags.Func("f", "", func(file string) error {
		if o.file != "" {
			return errors.New("there is one already: check the files one by one")
		}
		o.file = file
		return nil
	})
	flags.BoolVar(&o.whole, "v", false, "")
	flags.BoolVar(&o.json, "json", false, "")
	args, err := parse(flags, args)
	if err != nil {
		return o, err
	}
	if isSite(o.file) {
		return o, misused("check", errors.New("-f takes a file: leave it out to ask the site"))
	}
	if len(o.crawlers) == 0 {
		tokens, _ := parseAgent(userAgent())
		o.crawlers = [][]string{tokens}
	}
	return o, o.ask(args, std)
}

// ask takes what is not a flag for questions.
func (o *checkOptions) ask(args []string, std stdio) error {
	fromStdin := len(args) == 0 || len(args) == 1 && args[0] == "-"
	switch {
	case fromStdin && o.file == "-":
		return misused("check", errors.New("which URL? standard input is the file of -f"))
	case len(args) == 0 && isTerminal(std.in):
		return misused("check", errors.New("which URL? write it as in https://example.com/"))
	case fromStdin:
		return nil
	}
	for _, arg := range args {
		q := o.question(arg)
		if q.err != nil {
			return misused("check", q.err)
		}
		o.questions = append(o.questions, q)
	}
	if len(o.questions)*len(o.crawlers) == 1 {
		o.whole = true
	}
	return nil
}

func (o *checkOptions) question(arg string) question {
	if o.file != "" && (strings.HasPrefix(arg, "/") || !strings.Contains(arg, "://")) {
		u, err := parsePath(arg)
		return question{arg, u, err}
	}
	u, err := parseURL(arg)
	if err != nil {
		return question{shown(arg), nil, err}
	}
	return question{shown(arg), u, nil}
}

// parsePath returns a URL with the path that arg is, of no site in particular.
func parsePath(arg string) (*url.URL, error) {
	if !strings.HasPrefix(arg, "/") {
		return nil, fmt.Errorf("%q is neither a URL nor a path: write it as in https://example.com/page or /page", shown(arg))
	}
	u, err := url.Parse("https://localhost" + arg)
	if err != nil {
		return nil, noURL(arg, "path of a URL", err)
	}
	return u, nil
}

// all yields the questions, from standard input if there are none.
func (o *checkOptions) all(ctx context.Context, std stdio) iter.Seq[question] {
	if len(o.questions) > 0 {
		return slices.Values(o.questions)
	}
	return func(yield func(question) bool) {
		stdin := std.input(ctx)
		defer stdin.Close()
		for line, err := range lines(stdin) {
			q := question{name: "standard input", err: err}
			if err == nil {
				q = o.question(line)
			}
			if !yield(q) {
				return
			}
		}
	}
}

// maxLine is more than servers take of a URL.
const maxLine = 1 << 20

// lines yields the lines of r that are not blank, without the space around them,
// and an error for what cannot be read.
func lines(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		buffer := bufio.NewReaderSize(r, maxLine)
		for {
			line, rest, err := buffer.ReadLine()
			if rest {
				err = skipLine(buffer)
				line = nil
				if !yield("", errors.New("a line is longer than any URL")) {
					return
				}
			}
			if text := strings.TrimSpace(string(line)); text != "" && !yield(text, nil) {
				return
			}
			if err != nil {
				if err != io.EOF {
					yield("", err)
				}
				return
			}
		}
	}
}

// skipLine reads on to the end of the line.
func skipLine(r *bufio.Reader) error {
	for {
		if _, rest, err := r.ReadLine(); err != nil || !rest {
			return err
		}
	}
}

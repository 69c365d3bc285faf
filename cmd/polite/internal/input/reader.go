package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/parallel"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
	"github.com/spf13/pflag"
)

// A Reader reads the robots.txt that an argument names. It asks a site once.
type Reader struct {
	std       verb.Streams
	transport *polite.Transport
	tap       *robotstxt.Tap
	work      *report.Work
}

// Options say how a Reader asks sites.
type Options struct {
	Cache   cachefile.Options
	Timeout time.Duration // how long a site may take; 0 for as long as polite waits
}

// Flag defines --no-cache and --timeout.
func (o *Options) Flag(flags *pflag.FlagSet) {
	o.Cache.Flag(flags)
	verb.Time(flags, &o.Timeout, "timeout", "wait no longer than this `time` for a robots.txt: 10 for seconds, or 2m")
}

// Open returns a Reader for a verb and its arguments. What the sites among them answer is
// kept. When all is read, call end.
func Open(ctx context.Context, name string, args []string, o Options, std verb.Streams) (r *Reader, end func()) {
	r = newReader(http.DefaultTransport, std)
	r.work.Total = len(args)
	if !slices.ContainsFunc(args, IsURL) {
		return r, func() {}
	}
	r.transport.Policy.Timeout = o.Timeout
	o.Cache.Anew, o.Cache.Asks = true, report.Break(r.work.Line)
	cache, keep := cachefile.Open(ctx, o.Cache, std.Warning(name))
	r.transport.Cache = cache
	over := r.work.Run(ctx)
	return r, func() {
		over()
		keep()
	}
}

func newReader(base http.RoundTripper, std verb.Streams) *Reader {
	tap := &robotstxt.Tap{Base: base}
	work := &report.Work{Line: terminal.ProgressOn(std.Err), Done: "read", Total: 1}
	return &Reader{std, &polite.Transport{UserAgent: verb.UserAgent(), Base: tap}, tap, work}
}

// Lists returns Lists that take turns with the Reader.
func (r *Reader) Lists() Lists {
	return NewLists(r.std, &polite.Transport{UserAgent: verb.UserAgent(), Cache: r.transport.Cache})
}

// A Read is what became of an argument.
type Read = parallel.Result[string, Text]

// A Text is a robots.txt, or why it could not be read.
type Text struct {
	Source
	Err error
}

// All reads what all arguments name. It keeps their order, but no site that is slow holds
// up the others: see [parallel.Each]. It ends with ctx.
func (r *Reader) All(ctx context.Context, args []string) iter.Seq[Read] {
	site := func(arg string) string {
		if IsURL(arg) {
			return arg
		}
		return ""
	}
	return func(yield func(Read) bool) {
		for read := range parallel.Each(slices.Values(args), site, func(arg string) Text {
			source, err := r.Robots(ctx, arg)
			return Text{source, err}
		}) {
			if ctx.Err() != nil || !yield(read) {
				return
			}
		}
	}
}

// Out returns where text for standard output goes, while the Reader tells how far it is.
func (r *Reader) Out() io.Writer { return r.work.Line.Beside(r.std.Out) }

// Robots reads the robots.txt that an argument names: for a URL the one of its site, for
// "-" standard input, or else a file.
func (r *Reader) Robots(ctx context.Context, arg string) (Source, error) {
	if IsURL(arg) {
		return r.site(ctx, arg)
	}
	return File(ctx, arg, r.std)
}

// NoFile is the error of a site that has no robots.txt, and so allows everything.
type NoFile struct{ error }

// site asks the site of a URL for its robots.txt, as polite does before it fetches a
// page.
func (r *Reader) site(ctx context.Context, arg string) (Source, error) {
	u, err := URL(arg)
	if err != nil {
		return Source{}, err
	}
	r.work.Ask(u)
	defer r.work.Over(u)
	d, err := r.transport.Check(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"})
	if err != nil {
		return Source{}, cmp.Or(context.Cause(ctx), err)
	}
	if d.Reason != polite.ReasonRule && d.Reason != polite.ReasonNoRule {
		err := fmt.Errorf("%s %s", d.RobotsURL, report.Answer(d))
		if d.Reason == polite.ReasonUnavailable {
			err = NoFile{err}
		}
		return Source{}, verb.Unread(err)
	}
	text := r.tap.Text(d)
	if text == nil {
		return Source{}, verb.Unread(fmt.Errorf("%s was read, but its text was not kept", d.RobotsURL))
	}
	at, err := url.Parse(d.RobotsURL)
	return Source{d.RobotsURL, text.Body, at}, err
}

// VetRobots returns the error of an argument for [Reader.Robots] that makes no sense. It
// reads nothing.
func VetRobots(ctx context.Context, arg string) error {
	if !IsURL(arg) {
		return nil
	}
	u, err := URL(arg)
	if err != nil {
		return err
	}
	return Vet(ctx, &polite.Transport{UserAgent: verb.UserAgent()}, u)
}

// A Teller makes text of a robots.txt.
type Teller func(s Source, o TellOptions) string

// TellOptions say what text to make, and how to ask sites.
type TellOptions struct {
	Options
	JSON bool
	Many bool // there are several: tell which
}

// Flags defines --json, and the flags of [Options]. usage tells what the JSON has.
func (o *TellOptions) Flags(flags *pflag.FlagSet, usage string) {
	flags.BoolVar(&o.JSON, "json", false, usage)
	o.Options.Flag(flags)
}

// TellEach does the work of a verb whose arguments are robots.txt files: it writes what tell
// makes of each. It tells the errors, and returns the status of the first.
func TellEach(ctx context.Context, name string, args []string, o TellOptions, std verb.Streams, tell Teller) error {
	if err := vetEach(ctx, args); err != nil {
		return verb.Misused(name, err)
	}
	o.Many = len(args) > 1
	reader, end := Open(ctx, name, args, o.Options, std)
	defer end()
	var first verb.First
	for read := range reader.All(ctx, args) {
		if read.Out.Err != nil {
			first.Note(read.N, verb.Conclude(name, read.Out.Err, std.Err))
			continue
		}
		if what := format(read.Out.Body); what != "" {
			std.Warning(name)(fmt.Errorf("%s is %s, in which crawlers find nothing: see polite lint", read.Out.Name, what))
		}
		text := tell(read.Out.Source, o)
		if _, err := io.WriteString(reader.Out(), text); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return first.Status().OrNil()
}

// format says what a robots.txt is instead of one. It is "" for a text.
func format(body []byte) string {
	switch robotstxt.NewText(body).Lack() {
	case robotstxt.HTML:
		return "a web page"
	case robotstxt.UTF16:
		return "UTF-16"
	case robotstxt.Compressed:
		return "compressed (gzip)"
	default:
		return ""
	}
}

// vetEach returns an error if arguments make no sense. It reads nothing.
func vetEach(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("of which robots.txt? write a file, or a URL as in https://example.com/")
	}
	return VetAll(ctx, args)
}

// VetAll returns an error if one of the arguments for [Reader.All] makes no sense. It reads
// nothing.
func VetAll(ctx context.Context, args []string) error {
	for i, arg := range args {
		if arg == "-" && slices.Contains(args[:i], "-") {
			return errors.New(`"-" twice: standard input can be read once`)
		}
		if err := VetRobots(ctx, arg); err != nil {
			return err
		}
	}
	return nil
}

// A Source is the text of a robots.txt, and where it is from.
type Source struct {
	Name string // of the file, or the URL
	Body []byte
	URL  *url.URL // nil if it is not known
}

// File reads a robots.txt from a file, or from standard input if the name is "-". It
// reads one byte more than the part that counts, so that a longer file can be told
// from one that ends there.
func File(ctx context.Context, name string, std verb.Streams) (Source, error) {
	if name == "-" {
		stdin := std.Input(ctx)
		defer stdin.Close()
		s, err := read("stdin", stdin)
		return s, cmp.Or(context.Cause(ctx), err)
	}
	return await(ctx, func() (Source, error) { return open(name) })
}

func open(name string) (Source, error) {
	file, err := openFile(name)
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(name, ".") {
		err = fmt.Errorf("%w (for the robots.txt of a site, write its URL, as in https://example.com/)", err)
	}
	if err != nil {
		return Source{}, verb.Unread(err)
	}
	defer file.Close()
	return read(name, file)
}

func read(name string, r io.Reader) (Source, error) {
	body, err := io.ReadAll(io.LimitReader(r, robots.MaxSize+1))
	if err != nil {
		return Source{}, verb.Unread(err)
	}
	return Source{Name: name, Body: body}, nil
}

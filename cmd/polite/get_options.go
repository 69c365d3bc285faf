package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"iter"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/kept"
	"github.com/go-polite/polite/cmd/polite/internal/output"
	"github.com/go-polite/polite/cmd/polite/internal/self"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
)

type getOptions struct {
	userAgent string
	output    string // "" is standard output
	apart     bool   // each page has a file of its own
	sites     string // the file of --sites; "" for none
	json      bool
	quiet     bool // tell failures only
	wishes    wishes
	kept      kept.Options
	urls      []*url.URL // none if they are on standard input
}

func parseGet(args []string) (getOptions, error) {
	var o getOptions
	flags := flag.NewFlagSet("get", flag.ContinueOnError)
	o.userAgent = self.UserAgent()
	flags.Func("A", "", func(agent string) error {
		o.userAgent = agent
		return usableUserAgent(agent)
	})
	var headers []string // an error of the flag would show the value, which may be a secret
	flags.Func("H", "", func(header string) error {
		headers = append(headers, header)
		return nil
	})
	flags.BoolVar(&o.wishes.head, "I", false, "")
	flags.StringVar(&o.output, "o", "", "")
	flags.BoolVar(&o.apart, "O", false, "")
	verb.Quiet(flags, &o.quiet, "s")
	verb.Time(flags, "max-time", &o.wishes.longest)
	flags.StringVar(&o.sites, "sites", "", "")
	flags.BoolVar(&o.json, "json", false, "")
	flags.BoolVar(&o.kept.Anew, "refresh", false, "")
	o.kept.Flag(flags)
	args, err := verb.Parse(flags, args)
	if err != nil {
		return o, err
	}
	for _, header := range headers {
		if err := o.wishes.add(header); err != nil {
			return o, verb.Misused("get", err)
		}
	}
	if err := o.makesSense(args); err != nil {
		return o, verb.Misused("get", err)
	}
	if o.output == "-" {
		o.output = ""
	}
	return o, o.take(args)
}

// makesSense returns an error if flags contradict each other, or if there is no URL.
func (o *getOptions) makesSense(args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("which URL? write it as in https://example.com/, or \"-\" to read URLs from standard input")
	case o.kept.None && o.kept.Anew:
		return errors.New("--no-cache or --refresh? without the cache, each site is asked anyway")
	case o.apart && o.output != "":
		return errors.New("-o or -O? with -O, each page has a file of its own")
	case len(args) > 1 && slices.Contains(args, "-"):
		return errors.New(`"-" or URLs? "-" reads all URLs from standard input`)
	default:
		return nil
	}
}

// take reads the URLs among the arguments.
func (o *getOptions) take(args []string) error {
	if args[0] == "-" {
		return nil
	}
	for _, arg := range args {
		u, err := input.URL(arg)
		if err != nil {
			return verb.Misused("get", input.NotList(arg, err, "to read URLs from it, write: polite get - < %s"))
		}
		o.urls = append(o.urls, u)
	}
	return nil
}

// A page is what to fetch.
type page struct {
	name string // as it is shown
	url  *url.URL
	err  error // why it cannot be fetched
}

// pages yields the pages of the URLs, which may be on standard input.
func (o *getOptions) pages(ctx context.Context, std verb.Streams) iter.Seq[page] {
	return func(yield func(page) bool) {
		for _, u := range o.urls {
			if !yield(page{url: u}) {
				return
			}
		}
		if len(o.urls) > 0 {
			return
		}
		stdin := std.Input(ctx)
		defer stdin.Close()
		for line, err := range input.Lines(stdin) {
			if !yield(o.page(ctx, line, err)) {
				return
			}
		}
	}
}

// page returns the page that a line of standard input names.
func (o *getOptions) page(ctx context.Context, line string, err error) page {
	if err != nil {
		return page{name: "standard input", err: err}
	}
	p := page{name: verb.Shown(line)}
	if p.url, p.err = input.URL(line); p.err == nil {
		p.err = input.Vet(ctx, &polite.Transport{UserAgent: o.userAgent}, p.url)
	}
	return p
}

// progress returns where the command tells how far it is.
func (o *getOptions) progress(w io.Writer) io.Writer {
	if o.quiet {
		return io.Discard
	}
	return w
}

// target returns where the pages go.
func (o *getOptions) target(w io.Writer) *output.Output {
	if o.apart {
		return output.Apart()
	}
	return output.To(w, o.output)
}

// usableUserAgent returns why a user agent cannot be sent, or nil.
func usableUserAgent(agent string) error {
	const example = `as in "ExampleBot/1.0 (+https://example.com/bot)"`
	switch {
	case agent == "":
		return errors.New("it is empty: write who you are, " + example)
	case strings.ContainsFunc(agent, unicode.IsControl):
		return errors.New("it has a control character: write it " + example)
	case robots.ProductToken(agent) == "":
		return errors.New("it names no crawler: write it " + example)
	default:
		return nil
	}
}

// Package tester is the verb of this name.
package tester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/tester"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Verb returns "polite tester".
func Verb(std verb.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "tester [link|file|URL...]", Short: "open a page to write and try a robots.txt",
		Args: func(_ *cobra.Command, args []string) error { return o.takeAll(args) },
		RunE: func(c *cobra.Command, _ []string) error { return o.serve(c.Context(), std) },
	}
	o.flags(c.Flags())
	return c
}

// serve serves the page until ctx ends.
func (o *options) serve(ctx context.Context, std verb.Streams) error {
	o.TellDoubts(std.Warning("tester"))
	if o.file != "" {
		source, err := input.File(ctx, o.file, std)
		if err != nil {
			return err
		}
		o.start.Name, o.start.Text = source.Name, append([]byte{}, source.Body...) // not nil
	}
	shut := func() {} // removes what leads the browser to the page
	server, err := o.listen(func() { shut() }, std)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(std.Out, server.Link()); err != nil {
		server.Close()
		return err
	}
	fmt.Fprintln(std.Err, "polite tester: serves this link until Ctrl-C")
	if !o.shut {
		if shut, err = openLink(server.Link()); err != nil {
			std.Warning("tester")(fmt.Errorf("open the link in a browser: %w", err))
		}
		defer shut()
	}
	return server.Serve(ctx)
}

// listen returns a server, which calls shown when the page has been fetched.
func (o options) listen(shown func(), std verb.Streams) (*tester.Server, error) {
	cache := func(ctx context.Context) (*polite.Cache, func()) {
		return cachefile.Open(ctx, o.cache, std.Warning("tester"))
	}
	l, err := (&verb.Door{Address: o.at}).Listen()
	if err != nil {
		return nil, err
	}
	return tester.New(tester.Options{Start: o.start, Shown: shown, Sites: tester.Sites{Base: http.DefaultTransport, Cache: cache}}, l), nil
}

type options struct {
	judge.Agents
	file  string // "" for none
	at    string // the address of --listen
	shut  bool   // open no browser
	start tester.Start
	cache cachefile.Options
}

// flags defines the flags of tester.
func (o *options) flags(flags *pflag.FlagSet) {
	flags.FuncP("agent", "A", "the `agent` to begin with, as in \"polite check\"", func(agent string) error {
		o.start.Agent, o.Agents = agent, judge.Agents{} // the last one counts
		return o.Add(agent)
	})
	flags.StringVarP(&o.file, "file", "f", "", "the `file` of the robots.txt, or \"-\" for standard input")
	o.at = "127.0.0.1:0"
	flags.Func("listen", "serve at this `address` of this machine, as 127.0.0.1:8000. If left out, at a port that is free", func(address string) error {
		o.at = address
		if host, _, err := net.SplitHostPort(address); err != nil || !verb.IsLoopback(host) {
			return errors.New("write an address and a port of this machine, as in 127.0.0.1:8000: the page is for nobody else")
		}
		return nil
	})
	flags.BoolVar(&o.shut, "no-open", false, "do not open a browser: print the link alone")
	o.cache.Anew, o.cache.InBreak = true, true
	o.cache.Flag(flags)
}

// takeAll takes the arguments. The error is that of a use that makes no sense.
func (o *options) takeAll(args []string) error {
	for _, arg := range args {
		if err := o.take(arg); err != nil {
			return err
		}
	}
	if input.IsURL(o.file) {
		return errors.New("-f takes a file: load the robots.txt of a site on the page")
	}
	return nil
}

// pageLink is a link that the page made. Its state is behind the "#".
var pageLink = regexp.MustCompile(`^https?://[^/?#]+/[A-Za-z0-9_-]{32}/#([A-Za-z0-9_-]+)$`)

// take takes an argument: a link that the page made, a URL to try, or a file.
func (o *options) take(arg string) error {
	link := pageLink.FindStringSubmatch(arg)
	switch {
	case link != nil && o.start.State != "":
		return errors.New("two links: open them one by one")
	case link != nil:
		o.start.State = link[1]
	case strings.Contains(arg, "://"), strings.HasPrefix(arg, "/") && o.file != "":
		o.start.URLs = append(o.start.URLs, arg)
		return input.Question(arg, true).Err
	case o.file != "":
		return fmt.Errorf("%q: one file at a time; write a URL to try with its scheme, as in https://example.com/", verb.Shown(arg))
	default:
		o.file = arg
	}
	return nil
}

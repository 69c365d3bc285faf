// Package mcp is the verb of this name.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/agent"
	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/cmd/polite/internal/reach"
	"github.com/go-polite/polite/cmd/polite/internal/upstream"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
	uses "github.com/go-polite/polite/robots/usage"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Verb returns "polite mcp".
func Verb(std verb.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "mcp", Short: "serve pages to language models, by their tools",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.take(); err != nil {
				return verb.Misused("mcp", err)
			}
			return o.mcp(c.Context(), std)
		},
	}
	o.flags(c.Flags())
	return c
}

// mcp serves agents, over standard input and output or over HTTP, until they or ctx end.
func (o *options) mcp(ctx context.Context, std verb.Streams) error {
	if err := upstream.Followed(); err != nil {
		return err
	}
	sites, err := input.Sites(ctx, "mcp", o.sites)
	if err != nil {
		return err
	}
	way := upstream.FromEnvironment()
	cache, end := way.Cache(ctx, o.cache, o.private, std.Warning("mcp"))
	defer end()
	level := slog.LevelWarn
	if o.verbose {
		level = slog.LevelInfo
	}
	log := slog.New(slog.NewTextHandler(std.Err, &slog.HandlerOptions{Level: level}))
	base := way.Transport(o.private)
	base.DisableCompression = false
	defer base.CloseIdleConnections()
	server := agent.New(o.agents(o.cache.Pages(std.Warning("mcp")), way.Open(o.private), &polite.Transport{Base: base, Cache: cache, Sites: sites, Pace: polite.Gentle(), Logger: log}))
	if o.door.Address == "" {
		return agent.Serve(ctx, server, std.In, std.Out)
	}
	return o.serve(ctx, server, std)
}

// agents returns how agents ask, by a Transport like t. Pages are in a folder; those of sites that may be at private
// addresses are for who may ask them.
func (o *options) agents(folder *pagecache.Folder, open func(*url.URL) bool, t *polite.Transport) agent.Options {
	as := func(userAgent string, agents []string) *pagecache.Transport {
		transport := &polite.Transport{
			UserAgent: userAgent, Agents: agents, Policy: polite.Policy{Purposes: o.purposes},
			Base: t.Base, Cache: t.Cache, Sites: t.Sites, Pace: t.Pace, Logger: t.Logger,
		}
		return &pagecache.Transport{Polite: transport, Folder: folder, Public: reach.Public, Open: open}
	}
	return agent.Options{
		Version: verb.Built(), Log: t.Logger, Purposes: o.purposes, Private: o.private.Has,
		Model:   as(o.userAgent, nil),
		Person:  as(o.person, o.personTokens()),
		MaxWait: o.maxWait, MaxTime: o.maxTime, MaxSize: o.maxSize, PerHour: o.perHour,
	}
}

// serve serves over HTTP until ctx ends.
func (o *options) serve(ctx context.Context, server *mcp.Server, std verb.Streams) error {
	l, err := o.door.Listen()
	if err != nil {
		return err
	}
	h := &http.Server{Handler: agent.Handler(server, o.door.Secret), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	if _, err := fmt.Fprintf(std.Out, "http://%s/\n", l.Addr()); err != nil {
		l.Close()
		return err
	}
	if o.door.Secret != "" && !o.door.Given {
		fmt.Fprintf(std.Err, "polite mcp: clients need this header: Authorization: Bearer %s\n", o.door.Secret)
	}
	return verb.Serve(ctx, l, h.Serve, func(soon context.Context) error { return cmp.Or(h.Shutdown(soon), h.Close()) })
}

type options struct {
	userAgent string
	person    string // the user agent of what a person asks for
	purposes  []uses.Use

	purposeNames []string
	private      verb.Private
	sites        string // the file of --sites; "" for none
	cache        cachefile.Options
	verbose      bool

	maxWait, maxTime time.Duration
	maxSize          int64
	perHour          int

	door verb.Door // no address is for standard input and output
}

// flags defines the flags of mcp.
func (o *options) flags(flags *pflag.FlagSet) {
	o.userAgent = verb.UserAgent()
	verb.UserAgentFlag(flags, &o.userAgent, ". Sites see it if the model asks")
	flags.Func("person", "the `user-agent` that sites see if a person asks: that of -A with \"-User\" after its name, if left out", verb.TakeUserAgent(&o.person))
	flags.StringSliceVar(&o.purposeNames, "purpose", []string{string(uses.AIInput)}, "refuse pages whose sites say no to one of these `uses`: search, ai-input, train-ai, tdm; none asks for no purpose")
	o.private.Flag(flags)
	flags.StringVar(&o.sites, "sites", "", "do what this `file` says for some sites: a gap of your own, or that the owner has agreed. See \"polite help sites\"")
	o.cache.Flag(flags)
	o.maxWait, o.maxTime, o.maxSize = 20*time.Second, time.Minute, 5<<20
	verb.Time(flags, &o.maxWait, "max-wait", "refuse a request that would wait longer than this `time` for its turn, and tell when it comes: 20 for seconds, as if left out, or 2m")
	verb.Time(flags, &o.maxTime, "max-time", "how much `time` a call may take: a minute if left out")
	flags.IntVar(&o.perHour, "per-hour", 300, "the `number` of requests that a host gets in any hour; 0 is any number")
	flags.StringVar(&o.door.Address, "listen", "", "serve over HTTP at this `address`, as 127.0.0.1:8931, and not over standard input and output. It prints the URL, and serves until Ctrl-C")
	flags.StringVar(&o.door.SecretFile, "secret", "", "the `file` of the secret that clients over HTTP must send, as a bearer token. For an address beyond this machine, polite makes one if you name none")
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "log each call on standard error")
}

// take makes sense of the flags. The error is that of a use that makes none.
func (o *options) take() error {
	if o.perHour < 0 {
		return errors.New("--per-hour: write a number of requests, as in 300; 0 is any number")
	}
	if err := cmp.Or(o.name(), o.aim()); err != nil {
		return err
	}
	switch {
	case o.door.Address != "":
		return o.door.Lock("--secret", "8931", false)
	case o.door.SecretFile != "":
		return errors.New("--secret is for --listen: over standard input and output, there is nobody else")
	default:
		return nil
	}
}

// name finds the name of what a person asks for, and returns why one of the two cannot be used.
func (o *options) name() error {
	token := robots.ProductToken(o.userAgent)
	if o.person == "" {
		o.person = strings.Replace(o.userAgent, token, token+"-User", 1)
	}
	return errors.Join(input.VetAgent(o.userAgent), input.VetAgent(o.person, o.personTokens()...))
}

// personTokens are the names by which robots.txt may speak of what a person asks for: that of
// the person, and else that of the model.
func (o *options) personTokens() []string {
	tokens := []string{robots.ProductToken(o.person), robots.ProductToken(o.userAgent)}
	return slices.CompactFunc(tokens, strings.EqualFold)
}

// aim takes the purposes of --purpose.
func (o *options) aim() error {
	known := []uses.Use{uses.Search, uses.AIInput, uses.TrainAI, uses.TDM}
	for _, name := range o.purposeNames {
		use := uses.Use(strings.TrimSpace(name)).Canonical()
		if use == "none" && len(o.purposeNames) == 1 {
			return nil
		}
		if !slices.Contains(known, use) {
			return fmt.Errorf("--purpose: %q is none: write search, ai-input, train-ai or tdm, with commas between several, or none", verb.Shown(name))
		}
		o.purposes = append(o.purposes, use)
	}
	return nil
}

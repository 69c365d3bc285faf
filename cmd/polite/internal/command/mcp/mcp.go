// Package mcp is the verb of this name.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/agent"
	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/cmd/polite/internal/reach"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/upstream"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
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
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	sites, err := input.Sites(ctx, "mcp", o.sites)
	if err != nil {
		return err
	}
	way := upstream.FromEnvironment()
	o.cache.Open = func(u *url.URL) bool { return o.isPrivate(u.Hostname()) || way.Leads(u) }
	cache, end := cachefile.Open(ctx, o.cache, std.Warning("mcp"))
	defer end()
	if cache.Store == nil {
		cache.Store = robotstxt.NewMemory(robotstxt.Most)
	}
	level := slog.LevelWarn
	if o.verbose {
		level = slog.LevelInfo
	}
	log := slog.New(slog.NewTextHandler(std.Err, &slog.HandlerOptions{Level: level}))
	base := way.TransportTo(o.isPrivate)
	base.DisableCompression = false
	defer base.CloseIdleConnections()
	server := agent.New(o.agents(o.pages(std), &polite.Transport{Base: base, Cache: cache, Sites: sites, Pace: polite.Gentle(), Logger: log}))
	if o.door.Address == "" {
		return agent.Serve(ctx, server, std.In, std.Out)
	}
	return o.serve(ctx, server, std)
}

// pages returns where pages are kept, or nil.
func (o *options) pages(std verb.Streams) *pagecache.Folder {
	folder, err := cachefile.Pages()
	if o.cache.None || err != nil {
		return nil
	}
	var once sync.Once
	folder.Failed = func(err error) {
		once.Do(func() { std.Warning("mcp")(fmt.Errorf("not all pages are in the cache: %w", err)) })
	}
	return folder
}

// agents returns how agents ask, by a Transport like t.
func (o *options) agents(folder *pagecache.Folder, t *polite.Transport) agent.Options {
	asker := func(userAgent string, agents []string, tells bool) agent.Asker {
		transport := &polite.Transport{
			UserAgent: userAgent, Agents: agents, Policy: polite.Policy{Purposes: o.purposes},
			Base: t.Base, Cache: t.Cache, Sites: t.Sites, Pace: t.Pace, Logger: t.Logger,
		}
		return agent.Asker{Store: t.Cache.Store, Transport: transport, Tells: tells, Pages: func(by *polite.Transport, unsent func(*http.Request)) http.RoundTripper {
			return &pagecache.Transport{Polite: by, Folder: folder, Public: reach.Public, Open: o.cache.Open, Kept: func(req *http.Request, k pagecache.Kept) {
				if !k.Unchanged {
					unsent(req)
				}
			}}
		}}
	}
	return agent.Options{
		Version: verb.Built(), Log: t.Logger, Purposes: o.purposes, Private: o.isPrivate,
		Model:   asker(o.userAgent, nil, false),
		Person:  asker(o.person, o.personTokens(), o.tells),
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
	var serving sync.WaitGroup
	defer serving.Wait()
	stop := context.AfterFunc(ctx, func() {
		serving.Go(func() {
			verb.Farewell(ctx, h.Shutdown)
			h.Close()
		})
	})
	defer stop()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

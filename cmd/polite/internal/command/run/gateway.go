package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/upstream"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/store"
	"github.com/spf13/pflag"
)

// gatewayOptions say how requests go out that other programs make: who asks, and how politely.
type gatewayOptions struct {
	userAgent string
	maxWait   time.Duration
	delay     time.Duration
	private   verb.Private
	shares    bool // the cache of the other verbs
	documents bool // of a browser, only documents, scripts and data are judged
	life      time.Duration
}

// flags defines the flags that every such verb has. again is what to do when the
// certificates end.
func (o *gatewayOptions) flags(flags *pflag.FlagSet, again string) {
	verb.UserAgentFlag(flags, &o.userAgent, ". Required")
	verb.Time(flags, &o.maxWait, "max-wait", "refuse a request that would wait longer than this `time` for its turn: 60 for seconds, or 2m. A minute if left out")
	verb.Time(flags, &o.delay, "delay", "wait at least this `time` between two requests to a site")
	flags.Func("browser", "`which` requests of a browser to judge. all: every one, as if left out; documents: send images, fonts and styles as they come", func(judged string) error {
		o.documents = judged == "documents"
		if judged != "documents" && judged != "all" {
			return errors.New("write all or documents")
		}
		return nil
	})
	flags.BoolVar(&o.shares, "cache", false, "share the cache of the other verbs: what sites answer, and their turns. See \"polite help cache\"")
	verb.Time(flags, &o.life, "ca-time", "how much `time` the certificates hold: 24h if left out. "+again)
}

// makesSense returns an error if a flag is missing, or if nobody could ask by -A.
func (o *gatewayOptions) makesSense() error {
	if o.userAgent == "" {
		return errors.New(`who asks? write -A and who you are, as in -A "ExampleBot/1.0 (+https://example.com/bot)"`)
	}
	return input.VetAgent(o.userAgent)
}

// A gateway is a proxy and what it stands on.
type gateway struct {
	*proxy.Proxy
	transport *polite.Transport
	end       func() // of its Cache
}

// open returns the gateway that o asks for. Close it when the proxy is shut down. secret and
// admit say who may use it: see proxy.Options. It tells why nothing is kept for the next run.
func (o *gatewayOptions) open(secret string, admit func(net.Conn) bool, tell func(error)) (*gateway, error) {
	way := upstream.FromEnvironment()
	cache, end := way.Cache(context.Background(), cachefile.Options{None: !o.shares}, o.private, tell)
	g := &gateway{end: end}
	g.transport = &polite.Transport{
		UserAgent: o.userAgent,
		Base:      way.Transport(o.private),
		Pace:      polite.Pace{MinDelay: o.delay},
		Cache:     cache,
		Trace:     polite.Trace{Waited: proxy.Waited},
	}
	if o.documents {
		g.transport.Policy.Exempt = proxy.IsPartOfPage
	}
	var err error
	g.Proxy, err = proxy.New(proxy.Options{
		Transport: g.transport, MaxWait: o.maxWait, Secret: secret, Admit: admit, Via: way.Via(), Life: o.life,
		Robots: func(ctx context.Context, u *url.URL) (proxy.Robots, error) {
			return robotsOf(ctx, g.transport, cache.Store, u)
		},
	})
	if err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// close closes what the proxy stood on.
func (g *gateway) close() {
	g.transport.CloseIdleConnections()
	g.end()
}

// robotsOf returns the robots.txt of the site of u as the site has sent it.
func robotsOf(ctx context.Context, t *polite.Transport, kept store.Store, u *url.URL) (proxy.Robots, error) {
	if _, err := t.Robots(ctx, u); err != nil {
		return proxy.Robots{}, err
	}
	source, ok, err := robotstxt.Of(ctx, kept, t.UserAgent, u)
	switch {
	case err != nil || !ok:
		return proxy.Robots{}, nil
	case source.Status/100 == 2:
		return proxy.Robots{Known: true, Status: http.StatusOK, Body: source.Body}, nil
	case source.Status/100 == 4:
		return proxy.Robots{Known: true, Status: source.Status}, nil
	default: // too many redirects
		return proxy.Robots{Known: true, Status: http.StatusNotFound}, nil
	}
}

// told returns what a proxy has done, in a line.
func told(t proxy.Tally) string {
	parts := []string{fmt.Sprintf("%d sent", t.Sent)}
	if t.Waits > 0 {
		parts = append(parts, fmt.Sprintf("%d waited, for up to %v", t.Waits, t.Longest.Round(100*time.Millisecond)))
	}
	for _, kind := range slices.Sorted(maps.Keys(t.Refused)) {
		parts = append(parts, fmt.Sprintf("%d refused (%s)", t.Refused[kind], kind))
	}
	if t.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", t.Failed))
	}
	if t.Locked > 0 {
		parts = append(parts, fmt.Sprintf("%d of other users turned away", t.Locked))
	}
	return strings.Join(parts, ", ")
}

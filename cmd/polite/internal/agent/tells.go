package agent

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// A tells is a RoundTripper that first sends a request as a Transport of telling judges it. If
// robots.txt refuses the request, it is sent all the same, in its turn, and the refusal is logged.
type tells struct {
	http.RoundTripper
	log *slog.Logger
}

// refusedKey is the key of a request's context for the Decision that refused it.
type refusedKey struct{}

// RoundTrip sends a request. A request whose turn comes too late is refused.
func (t *tells) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(req)
	d, refused := polite.DecisionOf(err)
	if !refused || errors.Is(err, polite.ErrDelayed) {
		return resp, err
	}
	t.log.InfoContext(req.Context(), "sent for a person", "refusal", verb.Message(err))
	return t.RoundTripper.RoundTrip(req.WithContext(context.WithValue(req.Context(), refusedKey{}, d)))
}

// telling returns a Transport like t that lets the requests of a tells pass.
func telling(t *polite.Transport) *polite.Transport {
	return &polite.Transport{
		UserAgent: t.UserAgent, Agents: t.Agents, Base: t.Base, Policy: t.Policy, Pace: t.Pace, Cache: t.Cache, Logger: t.Logger, Trace: t.Trace,
		Sites: func(req *http.Request) (site *polite.Options) {
			if t.Sites != nil {
				site = t.Sites(req)
			}
			if d, refused := req.Context().Value(refusedKey{}).(polite.Decision); refused {
				return pass(site, t.Pace, d)
			}
			return site
		},
	}
}

// pass returns a Site like site that lets a request pass which d refuses. polite then asks for no
// robots.txt, so that the Site must have the gap.
func pass(site *polite.Options, pace polite.Pace, d polite.Decision) *polite.Options {
	var passing polite.Options
	if site != nil {
		passing = *site
	}
	if passing.Pace != nil {
		pace = *passing.Pace
	}
	gap := d.Gap
	if pace.RefuseLonger {
		gap = d.CrawlDelay // a Decision has no Gap if the crawl-delay is too long
	}
	pace.MinDelay = max(pace.MinDelay, gap)
	passing.Pace, passing.Agreed = &pace, true
	return &passing
}

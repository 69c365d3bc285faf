package report

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/public"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
)

// A refusal says why, of what, and until when. A request that has failed is none.
func TestRefusalOf(t *testing.T) {
	turn := time.Now()
	late := func(cause polite.Cause) error {
		return &polite.DelayError{Turn: turn, Wait: 90 * time.Second, Cause: cause, Why: "the request can only wait for 2s (its context, the client's Timeout, or MaxWait)"}
	}
	page := polite.Decision{URL: "https://a.example/x", Origin: "https://a.example", RobotsURL: "https://a.example/robots.txt", Agent: "bot"}
	decided := func(change func(*polite.Decision)) polite.Decision {
		d := page
		change(&d)
		return d
	}
	for _, test := range []struct {
		name string
		d    polite.Decision
		err  error
		want Refusal
	}{
		{"private", page, fmt.Errorf("dial: %w", public.ErrPrivate), Refusal{Kind: KindPrivate, Says: "not an address of the public internet"}},
		{"late", page, late(polite.CauseDeadline), Refusal{Kind: KindDelayed, Again: turn, Says: "https://a.example/x was not sent: its turn comes in 1m30s, and the request can only wait for 2s (--flag)."}},
		{"a store that fails", page, late(polite.CauseStore), Refusal{Kind: KindStore, Again: turn, Says: "https://a.example/x was not sent: its turn comes in 1m30s, and the request can only wait for 2s (--flag)."}},
		{"no host for robots.txt", page, fmt.Errorf("x: %w", polite.ErrNoHost), Refusal{Kind: KindNoHost, Says: "https://a.example does not exist: correct the URL."}},
		{"no host for a page", page, &net.DNSError{Name: "b.example", IsNotFound: true}, Refusal{Kind: KindNoHost, Says: "b.example does not exist: correct the URL."}},
		{"a look-up that fails", page, &net.DNSError{Name: "b.example", IsTimeout: true}, Refusal{}},
		{"failed", page, errors.New("reset"), Refusal{}},
		{"allowed", decided(func(d *polite.Decision) { d.Allowed = true }), nil, Refusal{}},
		{"by a rule", decided(func(d *polite.Decision) {
			d.Reason, d.Rule, d.Group = polite.ReasonRule, robots.Rule{Pattern: "/x", Line: 2}, "*"
		}), nil, Refusal{Kind: KindDisallowed, Rule: "disallow: /x", Line: 2, Says: `robots.txt disallows https://a.example/x for bot, by "disallow: /x", line 2 of https://a.example/robots.txt (group "*"). It was not fetched.`}},
		{"by a use", decided(func(d *polite.Decision) {
			d.Reason, d.Use = polite.ReasonUse, usage.Said{Use: usage.Search, Line: 3, Source: "content-signal", Label: "search", Value: "no"}
		}), nil, Refusal{Kind: KindUse, Rule: "content-signal: search=no", Line: 3, Says: `The site says no to the use of https://a.example/x for search, by "content-signal: search=no", line 3 of https://a.example/robots.txt. It was not fetched.`}},
		{"without rules", decided(func(d *polite.Decision) { d.Reason, d.Status, d.Next = polite.ReasonUnreachable, 503, turn }), &polite.NoRulesError{}, Refusal{
			Kind: KindNoRules, Again: turn, Says: "https://a.example/x was not fetched: https://a.example/robots.txt answered 503 Service Unavailable. So nobody knows what the site allows."}},
	} {
		NameLimits(test.err, "--flag")
		assert.Equal(t, test.want, RefusalOf(test.d, test.err), test.name)
	}
	down := &polite.DelayError{Why: "the site is down, and the request has no MaxWait and no deadline"}
	NameLimits(down, "--flag")
	assert.Equal(t, "the site is down, and the request has no --flag", down.Why)
}

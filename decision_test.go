package polite

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/tries"
	"github.com/go-polite/polite/public"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
)

// A verdict has a Reason, a basis and a look-up, in words.
func TestReasons(t *testing.T) {
	some, said := new(answers.Known), new(usage.Said)
	for name, test := range map[string]struct {
		to     destination
		v      judge.Verdict
		reason Reason
		basis  string
		lookup string
	}{
		"not needed":        {destination{reason: ReasonAgreed, basis: "a letter"}, judge.Verdict{Allowed: true}, ReasonAgreed, "a letter", ""},
		"not known":         {destination{}, judge.Verdict{}, ReasonUnknown, "", ""},
		"no rule":           {destination{}, judge.Verdict{Known: some, Allowed: true}, ReasonNoRule, "", "hit"},
		"a rule":            {destination{}, judge.Verdict{Known: some, Matched: true, Found: answers.Found{State: known.Stale}}, ReasonRule, "", "stale"},
		"a use":             {destination{}, judge.Verdict{Known: some, Use: said, Matched: true, Found: answers.Found{State: known.Expired}}, ReasonUse, "", "miss"},
		"a page":            {destination{}, judge.Verdict{Known: some, Silence: judge.WebPage, Allowed: true}, ReasonNoRule, "WebPage: allow all", "hit"},
		"a page, strictly":  {destination{}, judge.Verdict{Known: some, Silence: judge.WebPage}, ReasonUnavailable, "WebPage: deny all", "hit"},
		"no file":           {destination{}, judge.Verdict{Known: some, Silence: judge.Unavailable, Allowed: true}, ReasonUnavailable, "Unavailable: allow all", "hit"},
		"too many requests": {destination{}, judge.Verdict{Known: some, Silence: judge.TooManyRequests}, ReasonUnreachable, "TooManyRequests: deny all", "hit"},
		"down":              {destination{}, judge.Verdict{Known: some, Silence: judge.Unreachable, Allowed: true}, ReasonUnreachable, "Unreachable: allow all", "hit"},
	} {
		assert.Equal(t, test.reason, reason(&test.to, &test.v), name)
		assert.Equal(t, test.basis, basis(&test.to, &test.v), name)
		assert.Equal(t, test.lookup, lookup(&test.v), name)
	}
}

// A refusal says what is the matter, and what to do. errors.Is finds what it is, and nothing else.
func TestRefusals(t *testing.T) {
	at := time.Date(2000, 1, 2, 3, 4, 5, 0, time.UTC)
	rule := Decision{Reason: ReasonRule, URL: "http://a/1", Agent: "Bot", Group: "*", Rule: robots.Rule{Pattern: "/", Line: 2}, RobotsURL: "http://a/robots.txt"}
	use := rule
	use.Reason, use.From, use.Use = ReasonUse, "http://b/", usage.Said{Use: usage.TrainAI, Source: "content-signal", Label: "ai-train", Value: "no", Line: 3}
	slip := use
	slip.Use.Slip = true
	noRules := func(edit func(*NoRulesError)) error {
		e := &NoRulesError{Decision: Decision{Reason: ReasonUnreachable, URL: "http://a/1", RobotsURL: "http://a/robots.txt", Next: at}}
		edit(e)
		return e
	}
	late := DelayError{Decision: Decision{URL: "http://a/1"}, Turn: at, Wait: time.Second, Cause: CauseGap, Why: "it is late"}
	dry, waited, store := late, late, late
	dry.dry, waited.dry, waited.Cause, store.Cause, store.err = true, true, "", CauseStore, net.ErrClosed
	kinds := []error{ErrDisallowed, ErrUse, ErrNoRules, ErrNoHost, public.ErrPrivate, ErrDelayed, ErrStore, net.ErrClosed}
	for _, test := range []struct {
		err   error
		text  string
		is    []error
		again bool
	}{
		{&DisallowedError{Decision: rule}, `http://a/1 is disallowed for Bot by "disallow: /", line 2 of http://a/robots.txt (group "*")`, []error{ErrDisallowed}, false},
		{&DisallowedError{Decision: use}, `http://a/1, to which http://b/ redirects, may be fetched by Bot, but not for train-ai, by "content-signal: ai-train=no", line 3 of http://a/robots.txt`, []error{ErrDisallowed, ErrUse}, false},
		{&DisallowedError{Decision: slip}, `http://a/1, to which http://b/ redirects, may be fetched by Bot, but not for train-ai, by "content-signal: ai-train=no", line 3 of http://a/robots.txt, which is spelled wrong, and means no`, []error{ErrDisallowed, ErrUse}, false},
		{noRules(func(e *NoRulesError) { e.Status = 503 }), "http://a/1 was not sent: http://a/robots.txt answered 503 Service Unavailable; try again after 2000-01-02T03:04:05Z", []error{ErrNoRules}, true},
		{noRules(func(e *NoRulesError) { e.Next = time.Time{} }), "http://a/1 was not sent: http://a/robots.txt has not answered", []error{ErrNoRules}, false},
		{noRules(func(e *NoRulesError) { e.Next, e.Status = time.Time{}, 999 }), "http://a/1 was not sent: http://a/robots.txt answered 999", []error{ErrNoRules}, false},
		{noRules(func(e *NoRulesError) { e.Next, e.Status = time.Time{}, 300 }), "http://a/1 was not sent: http://a/robots.txt answered 300 Multiple Choices, which leads nowhere", []error{ErrNoRules}, false},
		{noRules(func(e *NoRulesError) {
			e.Status, e.Reason, e.Basis, e.Next, e.dry = 403, ReasonUnavailable, "why", time.Time{}, true
		}),
			"http://a/1 would not have been sent: http://a/robots.txt answered 403 Forbidden, and the Policy refuses such sites (why)", []error{ErrNoRules}, false},
		{noRules(func(e *NoRulesError) { e.Err = net.ErrClosed }), "http://a/1 was not sent: http://a/robots.txt could not be fetched: use of closed network connection; try again after 2000-01-02T03:04:05Z", []error{ErrNoRules, net.ErrClosed}, true},
		{noRules(func(e *NoRulesError) { e.Err = &net.DNSError{Err: "slow", Name: "a"} }), "http://a/1 was not sent: http://a/robots.txt could not be fetched: lookup a: slow; try again after 2000-01-02T03:04:05Z", []error{ErrNoRules}, true},
		{noRules(func(e *NoRulesError) { e.Err = &net.DNSError{Err: "none", Name: "a", IsNotFound: true} }), "http://a/1 was not sent: http://a/robots.txt could not be fetched: lookup a: none; correct the URL, or leave the site alone", []error{ErrNoRules, ErrNoHost}, false},
		{noRules(func(e *NoRulesError) { e.Err = public.ErrPrivate }), "http://a/1 was not sent: http://a/robots.txt could not be fetched: " + public.ErrPrivate.Error() + "; leave the site alone", []error{ErrNoRules, public.ErrPrivate}, false},
		{&late, "http://a/1 was not sent: it is late; send it again in 1s, at 2000-01-02T03:04:05Z", []error{ErrDelayed}, true},
		{&dry, "http://a/1 would not have been sent: it is late; send it again in 1s, at 2000-01-02T03:04:05Z", []error{ErrDelayed}, true},
		{&waited, "http://a/1 would have waited for its turn for 1s, until 2000-01-02T03:04:05Z", []error{ErrDelayed}, true},
		{&store, "http://a/1 was not sent: it is late; look after the store, and send it again in 1s, at 2000-01-02T03:04:05Z", []error{ErrDelayed, ErrStore, net.ErrClosed}, true},
		{&DelayError{Decision: Decision{URL: "http://a/1"}}, "http://a/1 was not sent: ; send it again in 0s, at 0001-01-01T00:00:00Z", []error{ErrDelayed}, false},
	} {
		assert.EqualError(t, test.err, "polite: "+test.text)
		assert.ErrorIs(t, test.err, ErrRefused)
		var is []error
		for _, kind := range kinds {
			if errors.Is(test.err, kind) {
				is = append(is, kind)
			}
		}
		assert.Equal(t, test.is, is, test.text)
		d, ok := DecisionOf(test.err)
		assert.True(t, ok)
		assert.Equal(t, "http://a/1", d.URL)
		u, next, again := RetryAt(test.err)
		assert.Equal(t, test.again, again, test.text)
		if again {
			assert.Equal(t, at, next)
			assert.Equal(t, "http://a/1", u.String())
		}
	}
	u, _, _ := RetryAt(&DelayError{Decision: Decision{URL: "http://a:b/"}, Turn: at})
	assert.Equal(t, "http://a:b/", u.String(), "no URL for net/url")
	asked := &url.URL{Host: "a"}
	u, _, _ = RetryAt(&DelayError{Turn: at, whole: asked})
	assert.Equal(t, asked, u)
	assert.NotSame(t, asked, u)
}

// What is shown of a request tells no password.
func TestShown(t *testing.T) {
	for want, u := range map[string]*url.URL{
		"":                     nil,
		"http://u:xxxxx@a/b?c": {Scheme: "http", Host: "a", User: url.UserPassword("u", "p"), Path: "/b", RawQuery: "c"},
		"http://a/b":           {Scheme: "http", Host: "a", Opaque: "//a/b"},
		"http://a/…":           {Scheme: "http", Host: "a", Opaque: "//u:p@a/b"},
		"http://b/…":           {Scheme: "http", Host: "b", Opaque: "//b"},
	} {
		if u != nil && strings.HasPrefix(want, "http://a/b") {
			u = new(*u)
		}
		assert.Equal(t, want, redacted(u))
	}
	assert.Equal(t, "GET", method(new(http.Request)))
	assert.Equal(t, `A\n`, method(&http.Request{Method: "A\n"}))
}

// The URL that was asked for first is found behind any redirects, and the search for it ends.
func TestFirstURL(t *testing.T) {
	first, hop := asks(t, "http://a/"), asks(t, "http://b/")
	assert.Same(t, first.URL, firstURL(first))
	hop.Response = &http.Response{Request: first}
	assert.Same(t, first.URL, firstURL(hop))
	hop.Response.Request = hop
	assert.Same(t, hop.URL, firstURL(hop))
	hop.Response.Request = nil
	assert.Same(t, hop.URL, firstURL(hop))
	assert.Same(t, first.URL, firstURL(hop.WithContext(tries.With(t.Context(), new(tries.Request), first.URL, 1, 1))))
}

// CheckRetry waits for the time of a refusal, or for a Retry-After, if this is before the deadline.
func TestCheckRetry(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name     string
		deadline time.Duration // 0: none
		wait     time.Duration // that the refusal, or else the answer, asks for; 0: neither does
		refused  bool
		next     bool // tries again
		retry    bool
		took     time.Duration
		err      error  // that it returns
		says     string // the error
	}{
		{name: "no refusal", next: true, retry: true, err: broken},
		{name: "no refusal, and no use", deadline: time.Minute, wait: time.Hour, err: broken},
		{name: "an answer without a time", deadline: time.Minute, next: true, retry: true, err: broken},
		{name: "an answer for later", deadline: time.Minute, wait: time.Minute, next: true, retry: true, err: broken},
		{name: "an answer for too late", deadline: time.Minute, wait: time.Minute + time.Second, next: true, says: `polite: the site has answered "503 Busy" and asks to come back in 1m1s, after the deadline of the request`},
		{name: "an answer for later without a deadline", wait: time.Hour, next: true, retry: true, err: broken},
		{name: "refused", deadline: time.Minute, wait: time.Minute - 1, refused: true, retry: true, took: time.Minute - 1},
		{name: "refused until the deadline", deadline: time.Minute, wait: time.Minute, refused: true, err: ErrDelayed},
		{name: "refused without a deadline", wait: time.Second, refused: true, err: ErrDelayed},
		{name: "refused for good", deadline: time.Minute, refused: true, err: ErrDelayed},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.deadline > 0 {
				ctx, cancel = context.WithTimeout(ctx, test.deadline)
				defer cancel()
			}
			start, resp, err := time.Now(), &http.Response{Status: "503 Busy", Header: make(http.Header)}, error(nil)
			switch {
			case test.refused && test.wait > 0:
				err = &DelayError{Turn: start.Add(test.wait)}
			case test.refused:
				err = new(DelayError)
			case test.wait > 0:
				resp.Header.Set("Retry-After", fmt.Sprint(test.wait.Seconds()))
			}
			retry, err := CheckRetry(func(context.Context, *http.Response, error) (bool, error) { return test.next, broken })(ctx, resp, err)
			assert.Equal(t, test.retry, retry, test.name)
			assert.Equal(t, test.took, time.Since(start), test.name)
			if test.says != "" {
				assert.EqualError(t, err, test.says, test.name)
			} else {
				assert.ErrorIs(t, err, test.err, test.name)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		time.AfterFunc(time.Second, cancel)
		refusal := &DelayError{Turn: time.Now().Add(time.Minute)}
		retry, err := CheckRetry(nil)(ctx, nil, refusal)
		assert.False(t, retry)
		assert.Same(t, refusal, err)
		retry, err = CheckRetry(func(context.Context, *http.Response, error) (bool, error) { return true, broken })(ctx, nil, broken)
		assert.True(t, retry, "without an answer")
		assert.Equal(t, broken, err)
	})
}

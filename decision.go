package polite

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/quota"
	"github.com/go-polite/polite/internal/tries"
	"github.com/go-polite/polite/internal/turns"
	"github.com/go-polite/polite/public"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// A Decision is what robots.txt means for one request, and why. All texts in it are
// safe for a terminal and a log, except Rule.Pattern, which is as the site wrote it:
// print a Rule with %q. If polite did not need robots.txt, the fields about robots.txt
// are zero.
type Decision struct {
	Allowed bool   // by robots.txt; the request may still have to wait: see Start
	Reason  Reason // what decided

	URL    string // of the request, without its password
	From   string // the URL that was asked for first, if redirects led to URL, without its password
	Origin string // scheme, host and port: "https://example.com"

	Agent string       // the first of our product tokens that the file names; our first token if it names none
	Group string       // the user-agent of the group that applies to us: a token, "*", or "" if no group does
	Rule  robots.Rule  // the rule that allows or disallows the request; zero if none does
	Use   usage.Said   // the statement that decided; zero if Reason is not ReasonUse; print it with %q
	Slips []usage.Said // statements about use that are spelled wrong, up to 100; print them with %q
	Basis string       // the field of Policy that decided, and how: "Forbidden: deny all"; Options.Basis if Reason is ReasonAgreed; else ""

	RobotsURL string    // of the origin's robots.txt
	Hops      []string  // the URLs that it redirected to, in order
	Status    int       // of the last answer; 0 if there was none
	Err       error     // why there was no answer, or why polite cannot rely on it
	Fetched   time.Time // when polite fetched the answer that applies, or heard that it is unchanged; zero if there is none
	SHA256    string    // of the file as far as it was read, in hexadecimal digits; "" if there is none
	Truncated bool      // the file is longer than robots.MaxSize, and its end does not apply
	Stale     bool      // the answer that applies is out of date, because polite could not fetch a new one
	Failing   time.Time // when polite first failed to fetch a new answer; zero if the last try succeeded
	Next      time.Time // when polite asks again, at the earliest

	CrawlDelay time.Duration // the crawl-delay of the site
	Gap        time.Duration // the gap that polite keeps between the starts of two requests; that of the Group if it is longer
	Limit      Limit         // what the site bears, as its answers tell, and the break that it or its robots.txt asks for; zero if the site is well, or Backoff is off
	Start      time.Time     // when the next request can be sent; zero if it can be sent now
}

// asked returns what was asked for, as the subject of a sentence.
func (d *Decision) asked() string {
	if d.From == "" {
		return d.URL
	}
	return d.URL + ", to which " + d.From + " redirects,"
}

// A Reason says what decided on a request. A refusal has ReasonRule, ReasonUse, ReasonUnavailable,
// ReasonUnreachable, ReasonUnknown or ReasonDelayed. Logs, metrics and spans use the same words.
type Reason string

const (
	ReasonNotHTTP     Reason = "not-http"    // the scheme is neither http nor https
	ReasonExempt      Reason = "exempt"      // Policy.Exempt said so
	ReasonAgreed      Reason = "agreed"      // Options said that the owner of the site has agreed
	ReasonRobotsTxt   Reason = "robots.txt"  // the request is for /robots.txt, which is always allowed (RFC 9309 §2.2.2)
	ReasonRule        Reason = "rule"        // a rule matches: Decision.Rule
	ReasonNoRule      Reason = "no-rule"     // no rule for us matches
	ReasonUse         Reason = "use"         // a statement says no to one of Policy.Purposes: Decision.Use
	ReasonUnavailable Reason = "unavailable" // the site has no robots.txt (§2.3.1.3)
	ReasonUnreachable Reason = "unreachable" // robots.txt could not be fetched (§2.3.1.4)
	ReasonUnknown     Reason = "unknown"     // robots.txt has not come yet
	ReasonDelayed     Reason = "delayed"     // the turn of the request would come too late: DelayError.Cause
)

// A destination is where a request goes to, and what is different there. polite makes it once for a
// request, since it calls the user's functions for it.
type destination struct {
	turns.Site
	reason Reason // why robots.txt is not needed; "" if it is
	exempt bool   // the request takes no turn
	basis  string // of the owner's agreement

	purposes []usage.Use // of the request; nil: those of the Policy count
}

// lookup returns how robots.txt was known when the request came that v judges: see Ruling.
func lookup(v *judge.Verdict) string {
	switch {
	case v.Known == nil:
		return ""
	case v.Found.State == known.Expired:
		return "miss"
	case v.Found.State == known.Stale:
		return "stale"
	default:
		return "hit"
	}
}

// reason returns what decided on a request to a destination that is judged by v.
func reason(to *destination, v *judge.Verdict) Reason {
	switch {
	case to.reason != "":
		return to.reason
	case v.Known == nil:
		return ReasonUnknown
	case v.Silence.IsOutage():
		return ReasonUnreachable
	case v.Silence == judge.WebPage && v.Allowed:
		return ReasonNoRule // as Google reads it
	case v.Silence != judge.None:
		return ReasonUnavailable
	case v.Use != nil:
		return ReasonUse
	case v.Matched:
		return ReasonRule
	default:
		return ReasonNoRule
	}
}

// A decider makes Decisions of verdicts.
type decider struct {
	agents []string
	memory *answers.Reader
	taker  *turns.Taker
}

// decision tells all about a verdict on req.
func (e *decider) decision(req *http.Request, to *destination, v *judge.Verdict) Decision {
	d := Decision{Allowed: v.Allowed, Reason: reason(to, v), URL: redacted(req.URL)}
	if first := firstURL(req); first != req.URL {
		d.From = redacted(first)
	}
	if d.Reason == ReasonNotHTTP {
		return d
	}
	d.Origin, d.Group, d.Rule = to.Origin.String(), v.Rules.Agent(), v.Rule
	d.Agent = e.agents[0]
	for _, agent := range e.agents {
		if strings.EqualFold(agent, d.Group) {
			d.Agent = agent
		}
	}
	if v.Use != nil {
		d.Use = *v.Use
	}
	d.Basis, d.Slips = basis(to, v), v.Slips(req.URL.RequestURI(), mostSlips)
	if d.Reason == ReasonUnknown || v.Known != nil {
		d.RobotsURL = to.Origin.RobotsURL().String()
	}
	if v.Known != nil {
		d.describe(v.Known, e.memory)
	}
	if !to.exempt {
		next := e.taker.Next(&to.Site, v)
		d.CrawlDelay, d.Gap, d.Start = next.CrawlDelay, next.Gap, next.Start
		if found := next.Limit; found.Incident || found.Cut || found.Gap > 0 || found.Break > 0 {
			d.Limit = limitOf(d.Origin, next.Limit, next.OfGroup)
		}
	}
	return d
}

// basis returns the field of Policy that decided, and how, or the basis of an agreement.
func basis(to *destination, v *judge.Verdict) string {
	switch {
	case v.Silence == judge.None:
		return printable.Text(to.basis)
	case v.Allowed:
		return v.Silence.String() + ": " + AllowAll.String()
	default:
		return v.Silence.String() + ": " + DenyAll.String()
	}
}

// mostSlips is how many slips a Decision tells. A hostile site writes more.
const mostSlips = 100

// describe fills in what is known of the origin's robots.txt.
func (d *Decision) describe(k *answers.Known, r *answers.Reader) {
	d.Hops, d.Status, d.Err = k.Came()
	d.Next, d.Stale = r.Next(k), r.IsStale(k)
	if file := k.File; file != nil {
		d.SHA256, d.Truncated = hex.EncodeToString(file.Digest[:]), file.Truncated()
	}
	if r.Counts(k) {
		d.Fetched = r.Wall(k.Fetched)
	}
	if since, failing := k.FailingSince(); failing {
		d.Failing = r.Wall(since)
	}
}

// method returns the method of req, made printable. To net/http, none is GET.
func method(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return printable.Text(req.Method)
}

// firstURL returns the URL that was asked for before the redirects that led to req.
func firstURL(req *http.Request) *url.URL {
	for req.Response != nil && req.Response.Request != nil && req.Response.Request != req {
		req = req.Response.Request
	}
	if first := tries.First(req.Context()); first != nil {
		return first
	}
	return req.URL
}

// redacted returns u without its password, to be shown. The query stays as it is.
func redacted(u *url.URL) string {
	if u == nil || u.Opaque == "" || strings.HasPrefix(u.Opaque, "//"+u.Host+"/") {
		return printable.URL(u.Redacted())
	}
	return printable.URL(u.Scheme + "://" + u.Host + "/…") // there may be one anywhere in Opaque
}

// Every refusal is ErrRefused. It means that polite did not send the request. Each
// refusal is also ErrDisallowed, ErrNoRules or ErrDelayed. Its type tells more.
// errors.Is and errors.AsType find a refusal in the error of an http.Client, too.
var (
	ErrRefused = errors.New("polite: refused")

	// ErrDisallowed means that robots.txt says no to the request: a rule disallows it, or a
	// statement says no to its use. The error is a *DisallowedError.
	ErrDisallowed = errors.New("polite: disallowed by robots.txt")

	// ErrNoRules means that polite has no rules for the site. The error is a
	// *NoRulesError.
	ErrNoRules = errors.New("polite: no rules to go by")

	// ErrDelayed means that the turn of the request would come too late. The error is a
	// *DelayError. Send the request later.
	ErrDelayed = errors.New("polite: the turn would come too late")

	// ErrUse means that a rule allows the request, and the site says no to what Policy.Purposes
	// names. The error is a *DisallowedError, and also ErrDisallowed.
	ErrUse = errors.New("polite: the site says no to this use")

	// ErrStore means that Cache.Turns has failed, so that nobody knows when the turn of
	// the request comes. The error is a *DelayError, which wraps the failure. Look after the
	// store: the site may be well.
	ErrStore = errors.New("polite: the store of the turns has failed")

	// ErrNoHost means that the host does not exist: the look-up of its name says so. The
	// error is a *NoRulesError, which wraps a *net.DNSError. Correct the URL, or leave
	// the site alone.
	ErrNoHost = errors.New("polite: the host does not exist")

	// ErrBreak means that polite did not ask for robots.txt, since the site wants no requests now. The
	// error is a *NoRulesError, whose Next says when the break is over.
	ErrBreak = errors.New("polite: the site wants no requests")
)

// A permanent error tells a client that repeats requests by itself not to repeat this one. Such a
// client calls these methods, which the errors of net/http and of AWS's SDK have.
type permanent struct{}

// Temporary returns false: the same request, sent again at once, is refused again.
func (permanent) Temporary() bool { return false }

// Timeout returns false: polite has refused the request, and did not wait for an answer.
func (permanent) Timeout() bool { return false }

// RetryableError returns false, for clients that call this method.
func (permanent) RetryableError() bool { return false }

// listed returns err as a list, or nil if err is nil. Some clients look into a chain of errors for a
// temporary error, such as a timeout of the fetch of robots.txt. They would send the request again
// because of it. They do not look into lists.
func listed(err error) []error {
	if err == nil {
		return nil
	}
	return []error{err}
}

// A DisallowedError refuses a request to which robots.txt says no. It is ErrRefused and
// ErrDisallowed. There are two cases:
//
//   - Decision.Reason is ReasonRule: Decision.Rule disallows the request. Leave the page alone.
//   - Decision.Reason is ReasonUse: Decision.Use, a statement of the site, says no to one of
//     Policy.Purposes. The error is also ErrUse. Leave the page alone, or do not use it for this
//     purpose.
//
// polite asks for robots.txt again at Decision.Next. Until then the refusal stays.
type DisallowedError struct {
	Decision
	permanent
}

func (e *DisallowedError) Error() string {
	if e.Reason == ReasonUse {
		text := fmt.Sprintf("polite: %s may be fetched by %s, but not for %s, by %q, line %d of %s",
			e.asked(), e.Agent, e.Use.Use, e.Use, e.Use.Line, e.RobotsURL)
		if e.Use.Slip {
			text += ", which is spelled wrong, and means no"
		}
		return printable.Text(text)
	}
	return printable.Text(fmt.Sprintf("polite: %s is disallowed for %s by %q, line %d of %s (group %q)",
		e.asked(), e.Agent, e.Rule, e.Rule.Line, e.RobotsURL, e.Group))
}

// Is reports whether target is ErrRefused or ErrDisallowed, or ErrUse if a statement about use is why.
func (e *DisallowedError) Is(target error) bool {
	return target == ErrRefused || target == ErrDisallowed || target == ErrUse && e.Reason == ReasonUse
}

// A NoRulesError refuses a request for which polite has no rules. There are two cases:
//
//   - robots.txt could not be fetched (RFC 9309 §2.3.1.4), also because the site has
//     asked for a long break;
//   - the site has no robots.txt, and the [Policy] denies all.
//
// It is ErrRefused and ErrNoRules, and wraps Err. Status or Err tells what came instead
// of robots.txt. Basis names the field of Policy that decided. Send the request again
// after Next, when polite asks for robots.txt again.
type NoRulesError struct {
	Decision
	permanent

	whole *url.URL // with its password; nil: URL says it
	dry   bool     // of a dry run: the request was sent
}

func (e *NoRulesError) Error() string {
	return printable.Text(fmt.Sprintf("polite: %s %s: %s %s%s", e.asked(), notSent(e.dry), e.RobotsURL, e.problem(), e.advice()))
}

// notSent says that a request was not sent. In a dry run it was.
func notSent(dry bool) string {
	if dry {
		return "would not have been sent"
	}
	return "was not sent"
}

// problem returns what came instead of rules, as the end of a sentence about robots.txt.
func (e *NoRulesError) problem() string {
	if e.Err != nil {
		return "could not be fetched: " + e.Err.Error()
	}
	problem := "has not answered"
	if e.Status != 0 {
		problem = strings.TrimSpace(fmt.Sprintf("answered %d %s", e.Status, http.StatusText(e.Status)))
	}
	switch {
	case e.Status/100 == 3:
		return problem + ", which leads nowhere"
	case e.Reason == ReasonUnavailable:
		return problem + ", and the Policy refuses such sites (" + e.Basis + ")"
	default:
		return problem
	}
}

// advice returns what to do.
func (e *NoRulesError) advice() string {
	switch {
	case errors.Is(e, ErrNoHost):
		return "; correct the URL, or leave the site alone"
	case errors.Is(e, public.ErrPrivate):
		return "; leave the site alone"
	case e.Next.IsZero():
		return ""
	default:
		return "; try again after " + e.Next.Format(time.RFC3339)
	}
}

// Is reports whether target is ErrRefused or ErrNoRules, or ErrNoHost if this is why.
func (e *NoRulesError) Is(target error) bool {
	if target == ErrNoHost {
		lookUp, ok := errors.AsType[*net.DNSError](e.Err)
		return ok && lookUp.IsNotFound
	}
	return target == ErrRefused || target == ErrNoRules
}

// Unwrap returns Err, for errors.Is and errors.AsType.
func (e *NoRulesError) Unwrap() []error { return listed(e.Err) }

// A DelayError refuses a request that cannot wait as long as it would have to: Cause says why.
// Decision.Reason says what the request would wait for: its turn (ReasonDelayed), or robots.txt
// (ReasonUnknown). The error is ErrRefused and ErrDelayed. If the deadline of the context has come,
// it is also context.DeadlineExceeded. If Cause is CauseStore, it is also
// ErrStore, and wraps the error of Cache.Turns.
//
// As far as polite knows, robots.txt allows the request: send it again at Turn.
//
// If redirects led to the request, ask for Decision.URL at Turn, and not for Decision.From. A request
// for From would fetch the first pages again, and be refused at the same hop.
//
// Each refused request learns a Turn of its own, behind the requests that wait and behind
// those that were refused before. So if all are sent again at their Turns, hardly any is
// refused again. Nothing keeps a Turn free: until then, another request may be sent
// instead.
type DelayError struct {
	Decision
	permanent
	Method string        // of the request; http.Client changes it to "GET" in some redirects
	Turn   time.Time     // when to send the request again
	Wait   time.Duration // from the refusal until Turn
	Cause  Cause         // why the request cannot wait so long; "" if it would have waited in a dry run (Policy.DryRun)
	Why    string        // more of the Cause, in a few words

	whole *url.URL // with its password; nil: URL says it
	err   error    // context.DeadlineExceeded if the deadline has come; the error of Cache.Turns; else nil
	dry   bool     // of a dry run: the request was sent
}

func (e *DelayError) Error() string {
	if e.dry && e.Cause == "" {
		return printable.Text(fmt.Sprintf("polite: %s would have waited for its turn for %v, until %s", e.asked(), printable.Duration(e.Wait), e.Turn.Format(time.RFC3339)))
	}
	advice := "send it again"
	if e.Cause == CauseStore {
		advice = "look after the store, and send it again"
	}
	return printable.Text(fmt.Sprintf("polite: %s %s: %s; %s in %v, at %s",
		e.asked(), notSent(e.dry), e.Why, advice, printable.Duration(e.Wait), e.Turn.Format(time.RFC3339)))
}

// Is reports whether target is ErrRefused or ErrDelayed, or ErrStore if this is why.
func (e *DelayError) Is(target error) bool {
	return target == ErrRefused || target == ErrDelayed || target == ErrStore && e.Cause == CauseStore
}

// Unwrap returns the error of the context or of Cache.Turns, if there is one, for errors.Is and
// errors.AsType.
func (e *DelayError) Unwrap() []error { return listed(e.err) }

// A breakError is ErrBreak, and says when the break is over.
type breakError struct{ until time.Time }

func (e *breakError) Error() string {
	return "the site wants no requests until " + e.until.Format(time.RFC3339)
}

func (e *breakError) Unwrap() error { return ErrBreak }

// DecisionOf returns the Decision of a refusal. ok is false if err is no refusal.
func DecisionOf(err error) (d Decision, ok bool) {
	refusal, ok := errors.AsType[interface {
		error
		decided() Decision
	}](err)
	if ok {
		d = refusal.decided()
	}
	return d, ok
}

// decided returns d, also of a refusal, which has a Decision.
func (d Decision) decided() Decision { return d }

// RetryAt returns which URL to ask for again, and when, if err refuses a request only for now. The time
// is the Turn of a DelayError, or the Next of a NoRulesError. The URL is that of the refused request, with its
// password: after redirects, the hop, and not the first URL. ok is false, and the URL nil, if err is nil or no
// refusal, if a rule or a use refuses the request, if err is ErrNoHost or public.ErrPrivate, and if nobody knows
// the time. The URL is the caller's own.
func RetryAt(err error) (u *url.URL, at time.Time, ok bool) {
	if late, is := errors.AsType[*DelayError](err); is && !late.Turn.IsZero() {
		return late.again(late.whole), late.Turn, true
	}
	if unknown, is := errors.AsType[*NoRulesError](err); is && !unknown.Next.IsZero() && !errors.Is(err, ErrNoHost) && !errors.Is(err, public.ErrPrivate) {
		return unknown.again(unknown.whole), unknown.Next, true
	}
	return nil, time.Time{}, false
}

// again returns a copy of the URL that was asked for. If nobody has kept it, d says it, without a password.
func (d *Decision) again(asked *url.URL) *url.URL {
	if asked == nil {
		var err error
		if asked, err = url.Parse(d.URL); err != nil {
			return &url.URL{Opaque: d.URL}
		}
	}
	u := *asked
	return &u
}

// refusal returns the error for a request for a URL that d does not allow.
func (d Decision) refusal(asked *url.URL) error {
	switch d.Reason {
	case ReasonRule, ReasonUse:
		return &DisallowedError{Decision: d}
	default:
		return &NoRulesError{Decision: d, whole: new(*asked)}
	}
}

// CheckRetry returns a CheckRetry function for a go-retryablehttp client whose
// transport is polite. If polite refused a request only for now, the function waits until
// the request may be sent, and lets the client send it again: after a DelayError until
// Turn, after a NoRulesError until Next. It does so only if the context of the request
// has a deadline and this time comes before it. In all other cases of a refusal, the
// client gets the refusal at once and does not try again. If there is no refusal,
// the function calls next, such as retryablehttp.DefaultRetryPolicy. If next lets the client try again,
// but the Retry-After of the answer comes after this deadline, the client ends at once: the error names the status.
func CheckRetry(next func(context.Context, *http.Response, error) (bool, error)) func(context.Context, *http.Response, error) (bool, error) {
	return func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if !errors.Is(err, ErrRefused) {
			retry, why := next(ctx, resp, err)
			if end, ok := ctx.Deadline(); ok && retry && resp != nil {
				if wait := quota.RetryAfter(resp.Header, time.Now()); time.Until(end) < wait {
					return false, fmt.Errorf("polite: the site has answered %q and asks to come back in %v, after the deadline of the request", printable.Text(resp.Status), printable.Duration(wait))
				}
			}
			return retry, why
		}
		_, again, later := RetryAt(err)
		if end, ok := ctx.Deadline(); !ok || !later || !again.Before(end) {
			return false, err
		}
		if clock.Pause(ctx, time.Until(again)) != nil {
			return false, err
		}
		return true, nil
	}
}

package polite

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/public"
	"github.com/go-polite/polite/robots/usage"
)

// A Policy says what the answer to a request for robots.txt means where RFC 9309 leaves
// a choice, or where its sources disagree. The zero Policy does what the RFC says.
// Where the RFC says nothing, it does what Google does. [Google] and [Strict] return
// other policies. Under every Policy, polite parses and obeys an answer of 2xx. While
// the origin cannot be reached, polite uses the last good copy.
type Policy struct {
	// MaxRedirects is the number of redirects that polite follows on the way to
	// robots.txt. A value below five means five (RFC 9309 §2.3.1.2).
	MaxRedirects int

	// CheckRedirect is called for each redirect on the way to robots.txt. If it returns an
	// error, polite does not follow the redirect, and the origin is unreachable. It is also
	// called for the redirects to an answer that another Transport has fetched for the same
	// Cache or Store. If nil, it is public.Redirect. If you set your own function, call public.Redirect
	// in it. CheckRedirect is not called for redirects of pages: the http.Client follows these.
	CheckRedirect func(from, to *url.URL) error

	// TooManyRedirects says what it means if there are more redirects than
	// MaxRedirects, or if they form a loop. Zero is AllowAll: the RFC calls such a
	// robots.txt unavailable (RFC 9309 §2.3.1.2).
	TooManyRedirects Access

	// Forbidden says what 401 and 403 mean. Zero is AllowAll: the RFC calls such a
	// robots.txt unavailable, as after every other 4xx that is about it (RFC 9309
	// §2.3.1.3).
	Forbidden Access

	// WebPage says what it means if a page for browsers comes with 2xx in the place of robots.txt: it
	// begins with "<", and no line of it counts. Zero is AllowAll: Google reads it as a file without
	// rules.
	WebPage Access

	// TooManyRequests says what 429 means. Zero is DenyAll: Google calls such a
	// robots.txt unreachable.
	TooManyRequests Access

	// Unreachable says what it means if robots.txt could not be fetched. The causes
	// are: no such host; a bad certificate; a timeout; a body that is cut short; 5xx; a
	// status that HTTP does not define; a status that is not about the site, such as a
	// proxy's 407. Zero is DenyAll (RFC 9309 §2.3.1.4).
	Unreachable Access

	// LongOutage takes the place of Unreachable and TooManyRequests after 30 days, if
	// there is no copy. With zero, these two still decide.
	LongOutage Access

	// LongMaxAge lets the max-age of a robots.txt make it fresh for more than 24 hours,
	// up to 30 days. If false, an answer is fresh for at most 24 hours (RFC 9309 §2.4).
	LongMaxAge bool

	// FoldPaths also judges the path as most servers read it. They read "/x/../private"
	// and "//private" as "/private". If the rules disallow either form, polite refuses
	// the request. If false, polite matches only the path as it is sent (RFC 9309
	// §2.2.2).
	FoldPaths bool

	// Timeout is the longest time for a fetch of robots.txt, with all redirects, retries and the body.
	// Zero is 30 seconds. Timeout also ends a fetch whose Base ignores the context. If Base returns a
	// response later, polite closes it. If the last request that waits for a fetch comes to its deadline,
	// the fetch goes on, unless other fetches need its place. If this request is cancelled, the fetch
	// ends, unless other processes that share Cache.Store wait for it.
	Timeout time.Duration

	// Exempt reports whether to send a request without asking for robots.txt and
	// without waiting for its turn. Its User-Agent is still that of the Transport. A target that polite
	// cannot judge, such as another host in URL.Opaque of a CONNECT request, is sent as it is. If nil, no
	// request is exempt. To keep the turns, set
	// Transport.Sites instead: see [Options]. Exempt must not change the request.
	// Several goroutines call it at the same time. Check calls it with a request that
	// has only a method and a URL.
	Exempt func(*http.Request) bool

	// Purposes are what you want the pages for, such as usage.TrainAI. If the robots.txt of a site says no to
	// one of them, polite refuses the request with a DisallowedError, which is ErrUse. A site that states
	// nothing does not say no. If nil, polite does not look at what robots.txt says about use. Options has
	// purposes for one request. Sitemaps, licences and other files about the site are no content: polite does
	// not refuse them because of a purpose. What a page says in its own headers comes with the response: see
	// usage.OfHeader. (Drafts: see package usage.)
	Purposes []usage.Use

	// ReadSlips makes a statement about use that is spelled wrong count, if it clearly means no:
	// "ai-train:no", "content-signals: ai-train=no". If false, such a statement says nothing. See
	// [usage.Statement.Slips].
	ReadSlips bool

	// If DryRun is not nil, the Transport makes a dry run: a running crawler goes on as before.
	// polite refuses no request, learns nothing from answers, and holds an answer back for a tenth of a
	// second at most, until a new robots.txt has come. If polite would have refused a request, it calls
	// DryRun with the refusal. If a request would have waited for its turn, polite calls DryRun
	// with a *DelayError whose Cause is "". Its Wait is how long the request would have waited for gaps,
	// crawl-delays and Retry-After, if all before it had waited, too. It leaves out the limit that polite
	// would have learned of the site. If robots.txt comes late, so does the call, with a copy of the
	// request whose context does not end. While a thousand requests wait for that, polite does not judge
	// another one whose robots.txt is not known. Stats.DryRun counts all of them. Several goroutines call
	// DryRun at the same time. If it panics after the answer, the panic is lost.
	DryRun func(req *http.Request, refusal error)
}

// Google returns the policy of Google's crawlers. With it, max-age can make robots.txt
// fresh for more than 24 hours. If a site could not be reached for 30 days and there is
// no copy, it allows everything.
func Google() Policy {
	return Policy{LongMaxAge: true, LongOutage: AllowAll}
}

// Strict returns a policy that refuses in every doubtful case. With it, polite refuses
// every request after 401, 403 and too many redirects, and where a web page comes in the place of
// robots.txt. On the way to robots.txt it
// follows no redirect to another host, or from https to http. It sets FoldPaths and
// ReadSlips.
func Strict() Policy {
	return Policy{Forbidden: DenyAll, TooManyRedirects: DenyAll, WebPage: DenyAll, CheckRedirect: refuseOtherHost, FoldPaths: true, ReadSlips: true}
}

// An Access says what a site without rules allows.
type Access int

const (
	AccessDefault Access = iota // the default of the field
	AllowAll                    // every request is allowed
	DenyAll                     // every request is refused
)

func (a Access) or(standard Access) Access {
	if a == AccessDefault {
		return standard
	}
	return a
}

// String returns "default", "allow all" or "deny all".
func (a Access) String() string {
	switch a {
	case AccessDefault:
		return "default"
	case AllowAll:
		return "allow all"
	default:
		return "deny all"
	}
}

// redirects returns which redirects are followed on the way to robots.txt.
func (p *Policy) redirects() fetch.Redirects {
	r := fetch.Redirects{Max: max(p.MaxRedirects, 5), Check: p.CheckRedirect}
	if r.Check == nil {
		r.Check = public.Redirect
	}
	return r
}

func (p *Policy) timeout() time.Duration {
	if p.Timeout <= 0 {
		return 30 * time.Second
	}
	return p.Timeout
}

// maxAge returns the longest that an answer holds.
func (p *Policy) maxAge() time.Duration {
	if p.LongMaxAge {
		return known.LongMaxAge
	}
	return known.MaxAge
}

// plain returns p as the engine goes by it.
func (p *Policy) plain() judge.Policy {
	plain := judge.Policy{EndsOutages: p.LongOutage != AccessDefault, FoldPaths: p.FoldPaths, Purposes: p.Purposes, ReadSlips: p.ReadSlips}
	plain.Denies[judge.Forbidden] = p.Forbidden.or(AllowAll) != AllowAll
	plain.Denies[judge.TooManyRedirects] = p.TooManyRedirects.or(AllowAll) != AllowAll
	plain.Denies[judge.WebPage] = p.WebPage.or(AllowAll) != AllowAll
	plain.Denies[judge.TooManyRequests] = p.TooManyRequests.or(DenyAll) != AllowAll
	plain.Denies[judge.Unreachable] = p.Unreachable.or(DenyAll) != AllowAll
	plain.Denies[judge.LongOutage] = p.LongOutage != AllowAll
	return plain
}

// refuseOtherHost refuses every redirect to another host, and every redirect from https to http.
func refuseOtherHost(from, to *url.URL) error {
	switch {
	case !isSameHost(from, to):
		return errors.New("to another host")
	case strings.EqualFold(from.Scheme, "https") && !strings.EqualFold(to.Scheme, "https"):
		return errors.New("from https to http")
	}
	return nil
}

// checkSiteFileRedirect is the CheckRedirect for files about a site: at most five redirects, as
// public.Redirect allows.
func checkSiteFileRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > 5 {
		return errors.New("polite: too many redirects")
	}
	return public.Redirect(via[len(via)-1].URL, req.URL)
}

// ForRobots reports whether polite has made req to fetch a robots.txt. It is also true for each
// redirect on the way to the file, whatever its URL, and for each try. It is false for a page, and
// for a request of yours for /robots.txt. A Base that adds something to requests asks ForRobots
// to leave these as they are:
//
//	if !polite.ForRobots(req) {
//		req = req.Clone(req.Context())
//		req.Header.Set("Authorization", "Bearer "+token)
//	}
//
// ForRobots looks at the context of req. So it is also true for other requests that Base sends with
// this context.
func ForRobots(req *http.Request) bool { return fetch.Fetches(req.Context()) }

func isSameHost(a, b *url.URL) bool { return strings.EqualFold(a.Hostname(), b.Hostname()) }

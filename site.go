package polite

import (
	"fmt"
	"net/http"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
)

// A site is where a request goes to, found out once.
type site struct {
	origin origin.Origin
	key    string // what Pace.Key returns, or Site.Key
	keyed  bool   // there is a key
	exempt bool   // it need not ask, and takes no turn
	why    Reason // why robots.txt is not needed; "" if it is
	own    *Site  // what is different for it; nil if nothing is
	pace   *Pace  // nil if exempt
}

// lane returns the key by which requests to the site take turns.
func (to *site) lane() laneKey {
	if to.keyed {
		return laneKey{key: to.key}
	}
	return laneKey{origin: to.origin}
}

// resolve fills in to. It returns the path and query of req, which may lie in room.
func (to *site) resolve(req *http.Request, room []byte, policy *Policy, paces paces) (target string, err error) {
	if !origin.IsHTTP(req.URL) {
		to.exempt, to.why = true, ReasonNotHTTP
		return "", nil
	}
	if to.origin, target, err = origin.Of(req, room); err != nil {
		return "", fmt.Errorf("polite: %w", printable.Error(err))
	}
	switch {
	case policy.Exempt != nil && policy.Exempt(req):
		to.exempt, to.why = true, ReasonExempt
		return target, nil
	case target == "/robots.txt":
		to.why = ReasonRobotsTxt // always allowed (RFC 9309 §2.2.2)
	}
	paces.settle(to, req)
	return target, nil
}

// paces say by which Pace requests take turns, and to which sites another applies.
type paces struct {
	usual *Pace
	sites func(*http.Request) *Site // may be nil
}

// settle fills in what applies to the site of req.
func (p paces) settle(to *site, req *http.Request) {
	to.pace = p.usual
	if p.sites != nil {
		to.apply(p.sites(req))
	}
	if key := to.pace.Key; key != nil && !to.keyed {
		to.key, to.keyed = key(req), true
	}
}

// apply fills in what is different for the site. own may be nil.
func (to *site) apply(own *Site) {
	if to.own = own; own == nil {
		return
	}
	if own.Pace != nil {
		to.pace = own.Pace
	}
	to.key, to.keyed = own.Key, own.Key != ""
	if own.Agreed && to.why == "" {
		to.why = ReasonAgreed
	}
}

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
	key    string // what Pace.Key returns
	keyed  bool   // there is a Pace.Key
	exempt bool   // it need not ask, and takes no turn
	why    Reason // why robots.txt is not needed; "" if it is
}

// lane returns the key by which requests to the site take turns.
func (to *site) lane() laneKey {
	if to.keyed {
		return laneKey{key: to.key}
	}
	return laneKey{origin: to.origin}
}

// resolve fills in to. It returns the path and query of req, which may lie in room.
func (to *site) resolve(req *http.Request, room []byte, policy *Policy, pace *Pace) (target string, err error) {
	if !origin.IsHTTP(req.URL) {
		to.exempt, to.why = true, NotHTTP
		return "", nil
	}
	if to.origin, target, err = origin.Of(req, room); err != nil {
		return "", fmt.Errorf("polite: %w", printable.Error(err))
	}
	switch {
	case policy.Exempt != nil && policy.Exempt(req):
		to.exempt, to.why = true, Exempt
		return target, nil
	case target == "/robots.txt":
		to.why = RobotsTxt // always allowed (RFC 9309 §2.2.2)
	}
	if pace.Key != nil {
		to.key, to.keyed = pace.Key(req), true
	}
	return target, nil
}

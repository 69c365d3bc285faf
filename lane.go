package polite

import (
	"strings"

	"github.com/go-polite/polite/internal/origin"
)

// A laneKey is the thing by which requests take turns: an origin, or what Pace.Key
// returns.
type laneKey struct {
	origin origin.Origin
	key    string
}

// own returns a copy of k that keeps nothing else alive.
func (k laneKey) own() laneKey { return laneKey{own(k.origin), strings.Clone(k.key)} }

// own returns a copy of o that does not keep the URL that it is a part of.
func own(o origin.Origin) origin.Origin {
	o.Host, o.Dial = strings.Clone(o.Host), strings.Clone(o.Dial)
	return o
}

package polite

import (
	"strings"

	"github.com/go-polite/polite/internal/origin"
)

// A laneKey is the thing by which requests take turns: an origin, or what Pace.Key
// or Site.Key says.
type laneKey struct {
	origin origin.Origin
	key    string
}

// own returns a copy of k that keeps nothing else alive.
func (k laneKey) own() laneKey { return laneKey{own(k.origin), strings.Clone(k.key)} }

// name returns the name of k in Turns.
func (k laneKey) name() string {
	if k.origin == (origin.Origin{}) {
		return "key " + k.key
	}
	return "origin " + k.origin.Key()
}

// laneNamed returns the lane with that name in Turns. It returns false if there is no
// such lane.
func laneNamed(name string) (k laneKey, ok bool) {
	kind, rest, _ := strings.Cut(name, " ")
	switch kind {
	case "key":
		return laneKey{key: rest}, true
	case "origin":
		o, err := origin.OfKey(rest)
		return laneKey{origin: o}, err == nil
	}
	return k, false
}

// own returns a copy of o that does not keep the URL that it is a part of.
func own(o origin.Origin) origin.Origin {
	o.Host, o.Dial = strings.Clone(o.Host), strings.Clone(o.Dial)
	return o
}

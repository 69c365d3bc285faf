package turns

import (
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/go-polite/polite/internal/origin"
)

// A Lane is what takes turns: the requests to an origin, those with one key, or the lanes
// of a group.
type Lane struct {
	origin origin.Origin
	key    string
	above  bool // the key is that of a group
}

// LaneOf returns the lane of the requests to o.
func LaneOf(o origin.Origin) Lane { return Lane{origin: o} }

// maxKey is the longest key that a lane keeps as it is.
const maxKey = 256

// LaneKeyed returns the lane of the requests with a key. It keeps a digest of a long key.
func LaneKeyed(key string) Lane { return Lane{key: short(key)} }

// LaneOfGroup returns the lane above the lanes of a group with a key.
func LaneOfGroup(key string) Lane { return Lane{key: short(key), above: true} }

// short returns key, or a digest of a long one.
func short(key string) string {
	if len(key) > maxKey {
		key = fmt.Sprintf("sha256 %x", sha256.Sum256([]byte(key)))
	}
	return key
}

// own returns a copy of l that keeps nothing else alive.
func (l Lane) own() Lane { return Lane{l.origin.Own(), strings.Clone(l.key), l.above} }

// size returns the octets in the texts of l.
func (l Lane) size() int { return l.origin.Size() + len(l.key) }

// hash returns a hash of l.
func (l Lane) hash(seed maphash.Seed) uint64 {
	if l.key != "" {
		return maphash.String(seed, l.key)
	}
	return l.origin.Hash(seed)
}

// Name returns the name of l in store.Turns.
func (l Lane) Name() string {
	switch {
	case l.above:
		return "group " + l.key
	case l.origin == (origin.Origin{}):
		return "key " + l.key
	default:
		return "origin " + l.origin.Key()
	}
}

// Told returns the name of a lane as a person reads it: the origin, or the key.
func Told(name string) string {
	if _, told, ok := strings.Cut(name, " "); ok {
		return told
	}
	return name
}

// laneNamed returns the lane with that name in store.Turns. It returns false if there is
// no such lane.
func laneNamed(name string) (l Lane, ok bool) {
	kind, rest, _ := strings.Cut(name, " ")
	switch kind {
	case "key":
		return LaneKeyed(rest), true
	case "group":
		return LaneOfGroup(rest), true
	case "origin":
		o, err := origin.OfKey(rest)
		return Lane{origin: o}, err == nil
	}
	return l, false
}

package fleet

import (
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/go-polite/polite/internal/origin"
)

// A Key says whose requests are in a lane: those to an origin, those with a key of the user's, or all
// in the lanes of a group.
type Key struct {
	origin origin.Origin
	key    string
	above  bool // the key is that of a group
}

// OfOrigin returns the key of the requests to o.
func OfOrigin(o origin.Origin) Key { return Key{origin: o} }

// maxKey is the longest key of a user's that is kept as it is.
const maxKey = 256

// OfUser returns the key of the requests with a key of the user's. It keeps a digest of a long one.
func OfUser(key string) Key { return Key{key: short(key)} }

// OfGroup returns the key of the lane above those of a group.
func OfGroup(key string) Key { return Key{key: short(key), above: true} }

// short returns key, or a digest of a long one.
func short(key string) string {
	if len(key) > maxKey {
		key = fmt.Sprintf("sha256 %x", sha256.Sum256([]byte(key)))
	}
	return key
}

// own returns a copy of k that keeps nothing else alive.
func (k Key) own() Key { return Key{k.origin.Own(), strings.Clone(k.key), k.above} }

// size returns the octets in the texts of k.
func (k Key) size() int { return k.origin.Size() + len(k.key) }

// hash returns a hash of k.
func (k Key) hash(seed maphash.Seed) uint64 {
	if k.key != "" {
		return maphash.String(seed, k.key)
	}
	return k.origin.Hash(seed)
}

// Name returns the name of the lane in store.Turns.
func (k Key) Name() string {
	switch {
	case k.above:
		return "group " + k.key
	case k.origin == (origin.Origin{}):
		return "key " + k.key
	default:
		return "origin " + k.origin.Key()
	}
}

// Told returns the name of a lane as a person reads it: the origin, or the key.
func Told(name string) string {
	if _, told, ok := strings.Cut(name, " "); ok {
		return told
	}
	return name
}

// keyNamed returns the key of the lane with that name in store.Turns. It returns false if there is
// no such lane.
func keyNamed(name string) (k Key, ok bool) {
	kind, rest, _ := strings.Cut(name, " ")
	switch kind {
	case "key":
		return OfUser(rest), true
	case "group":
		return OfGroup(rest), true
	case "origin":
		o, err := origin.OfKey(rest)
		return Key{origin: o}, err == nil
	}
	return k, false
}

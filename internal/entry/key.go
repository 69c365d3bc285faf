package entry

import (
	"strings"

	"github.com/go-polite/polite/internal/origin"
)

// Key returns the key of the entry of o in a Store. A site may have another robots.txt
// for each crawler, so agent, a product token in lower case, is part of it.
func Key(agent string, o origin.Origin) string { return agent + " " + o.Key() }

// OriginOf returns the origin whose entry has that key. It returns false if there is no
// such origin.
func OriginOf(key string) (o origin.Origin, ok bool) {
	_, rest := Parts(key)
	o, err := origin.OfKey(rest)
	return o, err == nil
}

// Parts returns the product token and the origin, as they are written, of which a key is
// made.
func Parts(key string) (agent, origin string) {
	agent, origin, _ = strings.Cut(key, " ") // no product token has a space
	return agent, origin
}

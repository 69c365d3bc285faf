package polite

import (
	"strings"

	"github.com/go-polite/polite/internal/origin"
)

// recordKey returns the key of the record of o in a Store. A site may have another
// robots.txt for each crawler.
func recordKey(agent string, o origin.Origin) string { return agent + " " + o.Key() }

// recordOrigin returns the origin whose record has that key. It returns false if there is
// no such origin.
func recordOrigin(key string) (o origin.Origin, ok bool) {
	_, rest, _ := strings.Cut(key, " ") // no product token has a space
	o, err := origin.OfKey(rest)
	return o, err == nil
}

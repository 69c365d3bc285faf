package cachefile

import (
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fleet"
)

// laneOf returns the name of the lane in which the origin of an entry takes turns, if it has
// one of its own. It returns false if the key names no origin.
func laneOf(key string) (lane string, ok bool) {
	o, ok := entry.OriginOf(key)
	return fleet.OfOrigin(o).Name(), ok
}

// isAnswer reports whether an entry has an answer of the site.
func isAnswer(key string, b []byte) bool {
	e, err := entry.Decode(key, b)
	return err == nil && e.Answer != nil
}

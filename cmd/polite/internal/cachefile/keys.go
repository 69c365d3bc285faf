package cachefile

import (
	"strings"

	"github.com/go-polite/polite/internal/entry"
)

// Package polite alone says how the keys of entries and of lanes are made, and what an entry
// has. All that the command knows of this is here.

// crawlerAndOrigin returns what the key of an entry is made of.
func crawlerAndOrigin(key string) (crawler, origin string) {
	crawler, origin, _ = strings.Cut(key, " ")
	return crawler, origin
}

const (
	ofOrigin = "origin " // begins the lane of an origin
	ofKey    = "key "    // begins the lane of origins that take turns with each other
)

// laneOf returns the lane of an origin that has one of its own.
func laneOf(origin string) string { return ofOrigin + origin }

// laneName returns the name of a lane as it is told: the origin, or what the user calls it.
func laneName(lane string) string {
	return strings.TrimPrefix(strings.TrimPrefix(lane, ofOrigin), ofKey)
}

// isAnswer reports whether an entry has an answer of the site.
func isAnswer(key string, b []byte) bool {
	e, err := entry.Decode(key, b)
	return err == nil && e.Answer != nil
}

package redisfleet

import (
	"encoding/base64"
	"strings"

	"github.com/go-polite/polite/store"
)

// spaceless returns a lesson as the server has it, before a space and the name of its lane.
func spaceless(lesson string) string { return base64.RawURLEncoding.EncodeToString([]byte(lesson)) }

// lessonOf reads what the server has: a lesson, a space, and the name of its lane.
func lessonOf(member string) (lane, lesson string, ok bool) {
	text, lane, ok := strings.Cut(member, " ")
	octets, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil || len(octets) == 0 || len(octets) > store.LongestLesson {
		return "", "", false
	}
	return lane, string(octets), true
}

package boltstore

import (
	"maps"
	"time"
)

// slots are those of a lane that are taken: when their leases end, by token.
type slots map[string]time.Duration

// forget forgets the slots whose leases have ended.
func (s slots) forget(now time.Duration) {
	maps.DeleteFunc(s, func(_ string, end time.Duration) bool { return end <= now })
}

// others returns how many slots other tokens have.
func (s slots) others(token string, now time.Duration) int {
	s.forget(now)
	if _, own := s[token]; own {
		return len(s) - 1
	}
	return len(s)
}

// renew lets the slot of token be taken for lease from now, and returns whether it was
// taken.
func (s slots) renew(token string, now, lease time.Duration) bool {
	end, ok := s[token]
	if !ok || end <= now {
		return false
	}
	s[token] = now + lease
	return true
}

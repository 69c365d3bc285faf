package redisfleet

import (
	"encoding/binary"
	"time"

	"github.com/redis/rueidis"
)

// An answer is the reply of a script that may be void.
type answer struct {
	now  int64 // by the server's clock
	kind string
	wait time.Duration          // of a turn
	more []rueidis.RedisMessage // of a claim
}

// understand reads an answer. The answer to a turn is a text, which the server makes
// faster than a list: the time, the wait and the kind.
func understand(m rueidis.RedisMessage) (a answer, ok bool) {
	if text, err := m.ToString(); err == nil && len(text) >= 14 {
		return answer{now: number(text[:7]), wait: duration(number(text[7:14])), kind: text[14:]}, true
	}
	list, err := m.ToArray()
	if err != nil || len(list) < 2 {
		return answer{}, false
	}
	a.now, _ = list[0].AsInt64()
	a.kind, _ = list[1].ToString()
	a.more = list[2:]
	return a, true
}

// number reads a number of seven bytes.
func number(text string) int64 {
	var n [8]byte
	copy(n[1:], text)
	return int64(binary.BigEndian.Uint64(n[:]))
}

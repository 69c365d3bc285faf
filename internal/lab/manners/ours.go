package main

import (
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// ours is what polite does. Without any setting, its ceiling is six.
type ours struct {
	lane    limit.Limit
	ceiling int // 0: there is none
	under   int
}

func (o *ours) room(now time.Duration) bool {
	return o.lane.Room(now) && (o.ceiling == 0 || o.under < o.ceiling)
}

func (o *ours) next(now time.Duration) time.Duration { return o.lane.Next(now) }

func (o *ours) begin(now time.Duration) {
	o.under++
	o.lane.Begin(now)
}

func (o *ours) end(a answer) {
	o.under--
	o.lane.End(learned(a))
}

// learned is an answer as the controller of polite hears of it.
func learned(a answer) limit.Answer {
	return limit.Answer{
		Begun: a.begun, Now: a.now, Took: a.now - a.begun, Kind: kindOf(a.reply.status),
		Section: uint8(a.page.section), Target: uint32(a.page.number),
		RetryAfter: a.reply.retryAfter, QuotaGap: a.reply.quotaGap, QuotaBreak: a.reply.quotaBreak,
	}
}

func kindOf(status int) limit.Kind {
	switch status {
	case 0:
		return limit.Refused
	case 200:
		return limit.Good
	case 429:
		return limit.Busy
	case 503:
		return limit.Down
	case 500, 502, 504:
		return limit.Broken
	case 403:
		return limit.Barred
	default:
		return limit.Neutral
	}
}

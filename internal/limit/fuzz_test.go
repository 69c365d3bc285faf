package limit_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/require"
)

// FuzzLane plays any series of requests, answers, lessons and times. Whatever comes, gap and
// break stay within bounds, and one more request can begin in the end.
func FuzzLane(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x01\x00\x00\x00\x10\x02\x00\x00\x00\x20\x0b\x00\x00\x00\x30"))
	f.Add([]byte("\x02\xff\xff\xff\xff\x0a\xff\xff\xff\x7f\x12\x00\x00\x00\x80\x1a\x01\x01\x01\x01"))
	f.Fuzz(func(t *testing.T, script []byte) {
		var lane limit.Limit
		now := time.Duration(0)
		var begun []time.Duration
		many := len(script)%2 > 0
		for len(script) >= 5 {
			what, number := script[0], binary.LittleEndian.Uint32(script[1:])
			script = script[5:]
			now += moment(number)
			switch what % 4 {
			case 0, 1:
				if at := lane.Next(now); what%4 == 0 && lane.Room(now) && at < 1<<61 {
					now = max(now, at)
				}
				lane.Begin(now)
				begun = append(begun, now)
			case 2:
				a := limit.Answer{Now: now, Kind: limit.Kind(what >> 2), Section: uint8(number), Target: number >> 8, Took: moment(number * 3)}
				if len(begun) > 0 {
					a.Begun, begun = begun[len(begun)-1], begun[:len(begun)-1]
				}
				if number%16 == 0 {
					a.RetryAfter, a.QuotaGap, a.QuotaLeft, a.QuotaBreak = moment(number>>4), moment(number>>5), moment(number>>7), moment(number>>6)
				}
				if many {
					a.Witness = limit.Stranger + limit.Witness(number>>4)%3
				} else {
					a.Counted, a.Taken = number%32 == 1, number%64 == 1
				}
				asks := lane.End(a)
				checkAsks(t, asks)
				require.True(t, many || !asks.Counted)
				require.True(t, asks.Counted || !asks.Taken)
			case 3:
				lane.Learn(now, limit.Lesson{Incident: what&4 > 0, Level: int(int32(number)), Break: moment(number >> 3), Gap: moment(number >> 7), Plain: moment(number >> 9)})
				checkLesson(t, lane.Lesson(now))
			}
			checkLane(t, &lane, now)
		}
		checkEnd(t, &lane, now)
	})
}

// moment makes a time of a number: from milliseconds to centuries, also backwards.
func moment(number uint32) time.Duration {
	d := time.Duration(number>>4) << (number % 16 * 3)
	if number&(1<<31) != 0 && number%3 == 0 {
		return -d
	}
	return d
}

func checkAsks(t *testing.T, asks limit.Asks) {
	require.GreaterOrEqual(t, asks.Break, time.Duration(0))
	require.LessOrEqual(t, asks.Break, 24*time.Hour)
	require.False(t, asks.Incident && asks.Over)
}

func checkLesson(t *testing.T, lesson limit.Lesson) {
	require.GreaterOrEqual(t, lesson.Gap, time.Duration(0))
	require.LessOrEqual(t, lesson.Gap, time.Minute)
	require.LessOrEqual(t, lesson.Break, 24*time.Hour)
	require.GreaterOrEqual(t, lesson.Plain, time.Duration(0))
	require.LessOrEqual(t, lesson.Plain, time.Hour)
}

func checkLane(t *testing.T, lane *limit.Limit, now time.Duration) {
	s := lane.State(now)
	require.GreaterOrEqual(t, s.Window, 1)
	require.GreaterOrEqual(t, s.Gap, time.Duration(0))
	require.LessOrEqual(t, s.Gap, time.Minute)
	require.GreaterOrEqual(t, s.Break, time.Duration(0))
	require.LessOrEqual(t, s.Break, 24*time.Hour)
	if now >= 0 && now < 1<<61 {
		require.GreaterOrEqual(t, lane.Next(now), now)
		require.LessOrEqual(t, lane.Next(now)-now, 24*time.Hour+time.Minute)
	}
}

// checkEnd checks that a site that is well is asked at full speed again, whatever it
// has done.
func checkEnd(t *testing.T, lane *limit.Limit, now time.Duration) {
	now = min(max(now, 0), 1<<61)
	for range 3 {
		now = lane.Next(now) + 2*time.Minute
		require.True(t, lane.Room(now))
		lane.Begin(now)
		lane.End(limit.Answer{Kind: limit.Good, Begun: now, Now: now + usual, Took: usual})
	}
	require.Zero(t, lane.State(now+usual).Break)
	require.LessOrEqual(t, lane.Next(now+usual)-now, time.Minute+usual)
}

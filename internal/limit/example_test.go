package limit_test

import (
	"fmt"
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// The caller has the clock and the lock. It sends a request if there is room and its time
// has come.
func ExampleLimit() {
	var lane limit.Limit
	now := time.Duration(0)
	for _, status := range []int{200, 200, 503, 503, 200} {
		kind := limit.Good
		if status == 503 {
			kind = limit.Busy
		}
		for !lane.Room(now) {
			now += time.Millisecond // wait for an answer
		}
		now = lane.Next(now) // wait for the gap, and for a break
		probe := lane.Begin(now)

		took := 50 * time.Millisecond
		asks := lane.End(limit.Answer{Begun: now, Now: now + took, Took: took, Kind: kind})
		now += took
		fmt.Printf("%d: probe %v, window %d, break %v\n", status, probe, lane.Window(), asks.Break.Round(time.Second))
	}

	// Output:
	// 200: probe false, window 3, break 0s
	// 200: probe false, window 3, break 0s
	// 503: probe false, window 1, break 1s
	// 503: probe true, window 1, break 2s
	// 200: probe true, window 2, break 0s
}

package queue_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The gap of a Group is kept, and not twice, however many workers there are, and with a gap of the sites or
// without.
func TestGroupGap(t *testing.T) {
	const gap, pages = 200 * time.Millisecond, 100
	for _, workers := range []int{1, 2, 16} {
		for _, own := range []time.Duration{0, gap / 2} {
			for _, hosts := range []int{1, 5} {
				t.Run(fmt.Sprint(workers, " workers, own gap ", own, ", hosts ", hosts), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := &web{site: func(string) site { return site{takes: 20 * time.Millisecond} }}
						q, l := newQueue(w, polite.Pace{MinDelay: own, Group: &polite.Group{Key: func(*http.Request) string { return "all" }, MinDelay: gap}}), newLedger()
						for i := range pages {
							require.NoError(t, q.Push(fmt.Sprintf("http://site%d.example/%d", i%hosts, i), i))
						}
						start := time.Now()
						require.NoError(t, q.Run(t.Context(), workers, l.handle))
						least := gap * time.Duration(pages+hosts-1) // each robots.txt takes a turn, too
						assert.InDelta(t, least.Seconds(), time.Since(start).Seconds(), 0.1*least.Seconds())
					})
				})
			}
		}
	}
}

// The new sites of a Group, whose robots.txt have turns one after the other, leave workers for other sites.
func TestGroupOfNewSites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(string) site { return site{takes: 20 * time.Millisecond} }}
		q, l := newQueue(w, polite.Pace{Group: &polite.Group{MinDelay: 2 * time.Second, Key: func(req *http.Request) string {
			return map[bool]string{true: "all"}[req.URL.Host != "quick.example"]
		}}}), newLedger()
		for i := range 60 {
			push(t, q, fmt.Sprintf("site%d.example", i), 1)
		}
		push(t, q, "quick.example", 200)
		require.NoError(t, q.Run(t.Context(), 8, l.handle))
		assert.Less(t, l.last["quick.example"], 40*time.Second)
		assert.LessOrEqual(t, time.Since(l.start), 242*time.Second) // 120 turns, and at most one for which nobody has come, since no worker waits for it
	})
}

package queue_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The first gap of a lane is as long as the others, however long its robots.txt takes, and with any workers.
func TestFirstGap(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			upTo := func(most time.Duration) time.Duration { return time.Duration(random.Int64N(int64(most))) }
			slow := site{robots: delayed(1), rules: upTo(2 * time.Second), takes: upTo(300 * time.Millisecond)}
			w := &web{site: func(string) site { return slow }}
			q := newQueue(w, polite.Pace{})
			push(t, q, "example.com", 4)
			require.NoError(t, q.Run(t.Context(), 1+random.IntN(8), nothing(t)))
			assert.Equal(t, []time.Duration{time.Second, time.Second, time.Second}, w.gaps("example.com"), "seed %d", seed)
		})
	}
}

// gaps returns the times between what arrived at a host.
func (w *web) gaps(host string) (gaps []time.Duration) {
	var last time.Time
	for _, a := range w.inOrder() {
		if a.host != host {
			continue
		}
		if !last.IsZero() {
			gaps = append(gaps, a.at.Sub(last))
		}
		last = a.at
	}
	return gaps
}

// moving returns a web in which moved.example redirects to slow.example, which has a gap, and quick.example has
// none. moved.example has a gap, too, if its seconds are not 0.
func moving(seconds, ofMoved int) *web {
	return &web{site: func(host string) site {
		switch host {
		case "slow.example":
			return site{robots: delayed(seconds), rules: 50 * time.Millisecond}
		case "moved.example":
			s := site{rules: 10 * time.Millisecond, page: func(path string) (int, http.Header) {
				return http.StatusFound, http.Header{"Location": {"http://slow.example/from" + path}}
			}}
			if ofMoved > 0 {
				s.robots = delayed(ofMoved)
			}
			return s
		default:
			return site{takes: 10 * time.Millisecond}
		}
	}}
}

// A redirect into a lane with a gap, however short, holds no worker, and goes behind what was pushed before.
func TestHopHoldsNobody(t *testing.T) {
	for _, seconds := range []int{1, 2} {
		for _, ofMoved := range []int{0, 1} {
			t.Run(fmt.Sprint("gap ", seconds, ", of the redirecting site ", ofMoved), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := moving(seconds, ofMoved)
					q, l := newQueue(w, polite.Pace{}), newLedger()
					push(t, q, "slow.example", 2)
					push(t, q, "moved.example", 2)
					push(t, q, "quick.example", 20)
					require.NoError(t, q.Run(t.Context(), 1, l.handle))
					assert.LessOrEqual(t, l.last["quick.example"], 300*time.Millisecond)
					assert.Equal(t, []string{"/0", "/1", "/from/0", "/from/1"}, w.pages("slow.example"))
					gap := time.Duration(seconds) * time.Second
					assert.Equal(t, []time.Duration{gap, gap, gap}, w.gaps("slow.example"))
				})
			})
		}
	}
}

// The first gap of a lane into which only redirects lead is as long as the others.
func TestFirstGapOfHops(t *testing.T) {
	for _, workers := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			w := moving(1, 0)
			q := newQueue(w, polite.Pace{})
			push(t, q, "moved.example", 4)
			require.NoError(t, q.Run(t.Context(), workers, nothing(t)))
			assert.Equal(t, []time.Duration{time.Second, time.Second, time.Second}, w.gaps("slow.example"))
		})
	}
}

// A lane into which redirects lead says why it waits, and until when.
func TestLaneOfHops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := moving(2, 0)
		q := newQueue(w, polite.Pace{})
		push(t, q, "moved.example", 2)
		push(t, q, "slow.example", 4)
		ended := make(chan error)
		go func() { ended <- q.Run(t.Context(), 4, nothing(t)) }()
		for range 9 {
			time.Sleep(time.Second + time.Millisecond)
			for lane := range q.Lanes() {
				assert.Equal(t, "http://slow.example", lane.Key)
				assert.Equal(t, polite.CauseGap, lane.Cause)
				assert.Equal(t, "there is a gap of 2s between two requests", lane.Why)
				assert.LessOrEqual(t, time.Until(lane.Next), 2*time.Second)
				assert.Equal(t, lane.Next, q.Progress().Next)
			}
		}
		require.NoError(t, <-ended)
	})
}

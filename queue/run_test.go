package queue_test

import (
	"context"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/queue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exit ends a goroutine, as t.FailNow does.
func exit() { runtime.Goexit() }

// run calls f in a goroutine of its own, and says how it ends.
func run(f func() error) (panicked any, returned bool, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if !returned {
				panicked = recover()
			}
		}()
		err = f()
		returned = true
	}()
	<-done
	return panicked, returned, err
}

// One Run runs at a time. An empty queue is done at once.
func TestRunTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(string) site { return site{takes: time.Second} }}
		q := newQueue(w, polite.Pace{})
		require.NoError(t, q.Run(t.Context(), 1, nothing(t)))
		push(t, q, "example.com", 2)
		require.NoError(t, q.Run(t.Context(), 1, func(ctx context.Context, _ queue.Item[int], _ *http.Response, err error) error {
			assert.ErrorContains(t, q.Run(ctx, 1, nothing(t)), "Run is called while it runs")
			return err
		}))
		assert.Equal(t, queue.Progress{Done: 2}, q.Progress())
		push(t, q, "example.com", 2)
		require.NoError(t, q.Run(t.Context(), 1, nothing(t)))
		assert.Len(t, w.arrivals, 4)
	})
}

// What cannot be used gives an error that says what to do.
func TestMisuse(t *testing.T) {
	q := newQueue(&web{}, polite.Pace{})
	assert.ErrorContains(t, q.Run(t.Context(), 0, nothing(t)), "use one or more")
	assert.ErrorContains(t, q.Run(t.Context(), 1, nil), "pass a function")
	for _, q := range []*queue.Queue[int]{{}, {Client: &http.Client{}}, {Client: &http.Client{Transport: http.DefaultTransport}}} {
		assert.ErrorContains(t, q.Run(t.Context(), 1, nothing(t)), "polite.Wrap")
	}
}

// Progress says what waits, and until when.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(host string) site {
			if host == "hangs.example" {
				return site{hangs: true}
			}
			return site{robots: delayed(map[string]int{"slow.example": 10, "slower.example": 30}[host])}
		}}
		q := newQueue(w, polite.Pace{})
		push(t, q, "slow.example", 5)
		push(t, q, "slower.example", 2)
		push(t, q, "hangs.example", 1)
		assert.Equal(t, queue.Progress{Left: 8}, q.Progress())
		start := time.Now()
		ctx, stop := context.WithTimeout(t.Context(), 25*time.Second)
		defer stop()
		ended := make(chan error)
		go func() { ended <- q.Run(ctx, 2, nothing(t)) }()
		time.Sleep(15 * time.Second)
		p := q.Progress()
		assert.Equal(t, 10*time.Second, p.Next.Add(-10*time.Second).Sub(start))
		p.Next = time.Time{}
		assert.Equal(t, queue.Progress{Done: 3, Left: 5, UnderWay: 1, Parked: 4}, p)
		push(t, q, "slow.example", 1)
		assert.Equal(t, 5, q.Progress().Parked)
		assert.ElementsMatch(t, []queue.Lane{
			{Key: "http://slow.example", Left: 4, Next: start.Add(20 * time.Second), Cause: polite.CauseGap, Why: "there is a gap of 10s between two requests"},
			{Key: "http://slower.example", Left: 1, Next: start.Add(30 * time.Second), Cause: polite.CauseGap, Why: "there is a gap of 30s between two requests"},
			{Key: "http://hangs.example", Left: 1, UnderWay: 1},
		}, slices.Collect(q.Lanes()))
		assert.ErrorIs(t, <-ended, context.DeadlineExceeded)
		assert.Equal(t, 4, q.Progress().Done)
		assert.Equal(t, 5, q.Progress().Left)
	})
}

// A lane that is forgotten takes nothing with it, also if it came back meanwhile.
func TestForgottenLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(host string) site {
			return site{robots: map[string]string{"x.example": delayed(30)}[host], hangs: host == "hangs.example"}
		}}
		q := newQueue(w, polite.Pace{})
		push(t, q, "hangs.example", 1) // keeps it running
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- q.Run(ctx, 2, nothing(t)) }()
		start := time.Now()
		for _, next := range []struct {
			at, pages int
			host      string
		}{
			{0, 1, "x.example"}, {1, 1, "z.example"}, {32, 1, "x.example"}, {91, 1, "z.example"}, {93, 1, "y.example"},
			{94, 5, "x.example"}, {155, 1, "y.example"},
		} {
			time.Sleep(time.Until(start.Add(time.Duration(next.at) * time.Second)))
			push(t, q, next.host, next.pages)
		}
		time.Sleep(time.Second)
		left := 0
		for range q.Left() {
			left++
		}
		assert.Equal(t, q.Progress().Left, left)
		assert.Equal(t, 3, left)
		stop()
		assert.ErrorIs(t, <-ended, context.Canceled)
	})
}

package limit

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The Trace, the Logger and Decisions tell of a site that has too much to do: when it begins,
// when it is no better, and when it is over.
func TestBackoffIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		busy := origintest.Status(429)
		web.Page("example.com", "/1", busy)
		web.Page("example.com", "/2", busy)
		tr := finding(t, web)
		var told []polite.Limit
		var log conduct.Log
		tr.Trace.Limited = func(l polite.Limit) { told = append(told, l) }
		tr.Logger = log.Logger(slog.LevelInfo)
		limit := func() polite.Limit {
			d := conduct.Decide(t, tr, "/")
			return d.Limit
		}
		assert.Zero(t, limit())

		require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com/1"))
		require.Len(t, told, 1)
		assert.Equal(t, polite.TroubleBusy, told[0].Trouble)
		assert.Zero(t, told[0].Tries)
		assert.Equal(t, 1, told[0].Window)
		assert.Equal(t, time.Second, told[0].Gap)
		assert.InDelta(t, 1.05, time.Until(told[0].Until).Seconds(), 0.05)
		assert.Equal(t, told[0], limit())
		assert.Equal(t, "the site is busy: 1 request at a time, one every 1s", limit().String())

		require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com/2"))
		require.Len(t, told, 2)
		assert.Equal(t, 1, told[1].Tries)
		assert.InDelta(t, 2.1, time.Until(told[1].Until).Seconds(), 0.1)

		require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com/"))
		require.Len(t, told, 3)
		assert.Empty(t, told[2].Trouble)
		assert.Zero(t, told[2].Until)
		assert.Positive(t, told[2].Gap)
		for range 20 {
			require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com/"))
		}
		assert.Len(t, told, 3, "a good answer tells nothing")
		assert.Equal(t, 1, strings.Count(log.String(), "too much to do"), "an incident has one line")
		assert.Contains(t, log.String(), "origin=http://example.com trouble=busy")
	})
}

// A queue at the site cuts the window, without a bad answer. A decision tells of it while the
// window is all in use.
func TestDecisionTellsOfAWindowThatSlowAnswersHaveCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		worker := make(chan struct{}, 1)
		web.Page("example.com", "/", func(w http.ResponseWriter, r *http.Request) {
			worker <- struct{}{}
			defer func() { <-worker }()
			origintest.Wait(r.Context(), 100*time.Millisecond)
		})
		tr := finding(t, web)
		conduct.Know(t, tr, "example.com")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() { askAgain(ctx, 32, tr, func(int) string { return "/" }) })
		time.Sleep(19 * time.Second)
		d := conduct.Decide(t, tr, "/")
		assert.Empty(t, d.Limit.Trouble)
		assert.Zero(t, d.Limit.Gap)
		assert.Positive(t, d.Limit.Window)
		assert.Less(t, d.Limit.Window, 32)
		all.Wait()
	})
}

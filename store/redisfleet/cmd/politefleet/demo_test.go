package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/stage"
	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/timeline"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// brief is the demo in a quarter of the time.
func brief() stage.Plan {
	const ms = time.Millisecond
	return stage.Plan{
		Processes: 4, Gap: 100 * ms, Length: 5000 * ms,
		Kill: 500 * ms, Pause: 800 * ms, Resume: 1800 * ms,
		Break: 1200 * ms, BreakFor: 1000 * ms,
	}
}

// The plan is in real time, so no change is judged by it.
func TestFleetIsPolite(t *testing.T) {
	long.Only(t)
	t.Run("redis-server", func(t *testing.T) { politely(t, "redis-server") })
	t.Run("double", func(t *testing.T) {
		t.Setenv("PATH", "")
		politely(t, "miniredis")
	})
}

// politely plays the brief plan, and judges it by what arrived. A busy machine may note a
// request late, and tell of the break late, so the times are checked roughly.
func politely(t *testing.T, server string) {
	var told strings.Builder
	log, err := play(t.Context(), brief(), streams{out: io.Discard, err: &told})
	require.NoError(t, err)
	if !strings.Contains(told.String(), server) {
		t.Skipf("%s is not installed", server)
	}
	f := log.Facts()
	assert.Equal(t, 1, f.Robots)
	assert.Greater(t, f.Shortest, log.Gap/4)
	require.Len(t, log.Breaks, 1)
	require.Len(t, log.Killed, 1)
	sent := func(process int, from, to time.Duration) bool {
		for _, a := range log.Arrivals {
			if a.Process == process && from < a.At && a.At < to {
				return true
			}
		}
		return false
	}
	assert.False(t, sent(1, log.Killed[0].From+log.Gap, log.Length), "the dead are silent")
	for _, p := range log.Paused {
		assert.False(t, sent(p.Process, p.From+log.Gap, p.To))
	}
	for p := range log.Processes {
		assert.False(t, sent(p, log.Breaks[0].From+2*log.Gap, log.Breaks[0].To), "all keep to the break")
	}
	assert.True(t, sent(0, 0, log.Length))
	assert.True(t, sent(3, 0, log.Length))
	assert.Positive(t, afterBreak(log), "the fleet goes on after the break")
}

// afterBreak returns how many requests came after the break.
func afterBreak(log *timeline.Log) (n int) {
	for _, a := range log.Arrivals {
		if a.At > log.Breaks[0].To {
			n++
		}
	}
	return n
}

func TestDemoIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel)
	picture := filepath.Join(t.TempDir(), "picture.svg")
	r := runCommand(ctx, "demo", "--svg", picture)
	assert.Equal(t, failed, r.status)
	assert.Empty(t, r.out)
	assert.NoFileExists(t, picture)
}

// A process of the fleet ends when its standard input does, even before it began.
func TestCrawlEndsWithInput(t *testing.T) {
	onServers(t, func(t *testing.T, url string) {
		r := runCommand(t.Context(), "crawl", url, "http://127.0.0.1:1", "0")
		assert.Equal(t, result{out: "ready\n"}, r)
	})
}

func TestPictureOfDocs(t *testing.T) {
	picture, err := os.ReadFile("../../../../docs/fleet.svg")
	require.NoError(t, err)
	assert.Contains(t, string(picture), "<title id=\"title\">Requests of a fleet of 4 processes")
	assert.Contains(t, string(picture), "1 for robots.txt")
	assert.Contains(t, string(picture), "Until then nothing came.")
}

package limit

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/stretchr/testify/assert"
)

// A judgedServer has workers, and a queue before them.
type judgedServer struct {
	free    []time.Duration // when each worker is free
	takes   func(now time.Duration) time.Duration
	longest time.Duration // that a request was in the queue
	over    int           // requests that were there for longer than a second
}

func (s *judgedServer) answer(now time.Duration, _ string) conduct.Reply {
	first := 0
	for i, at := range s.free {
		if at < s.free[first] {
			first = i
		}
	}
	start := max(now, s.free[first])
	s.free[first] = start + s.takes(now)
	if wait := start - now; wait > time.Second {
		s.over++
	}
	s.longest = max(s.longest, start-now)
	return conduct.Reply{Takes: s.free[first] - now}
}

// A server with four workers of 300 ms is kept busy, and nobody waits there for a second, also
// where 200 goroutines begin.
func TestMannersAServerWithAQueue(t *testing.T) {
	for _, workers := range []int{1, 16, 200} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			const ends = 2 * time.Minute
			server := &judgedServer{free: make([]time.Duration, 4), takes: func(time.Duration) time.Duration { return 300 * time.Millisecond }}
			saw := judgedCrawl{site: server.answer, workers: workers, long: ends}.run(t)
			most := float64(min(workers, 4)) * ends.Seconds() / 0.3
			t.Logf("%d of %.0f pages; longest queue %v, %d over a second", saw.good, most, server.longest, server.over)
			assert.GreaterOrEqual(t, float64(saw.good), 0.97*most)
			assert.Zero(t, server.over)
		})
	}
}

// A server that becomes four times slower for a while has no long queue, and is as busy after
// as before.
func TestMannersAServerThatSlowsDown(t *testing.T) {
	const ends = 3 * time.Minute
	// Each good answer lets one more be under way. Sixteen at eight workers take 200 ms, which is
	// not slow yet: that is more than twice the fastest, and 50 ms. So there are 32 at most, of which
	// 24 wait. If the server then becomes slow, the last waits for three others at its worker. With
	// 200 under way, it would be 24 others.
	const longest = 3 * 400 * time.Millisecond
	server := &judgedServer{free: make([]time.Duration, 8), takes: func(now time.Duration) time.Duration {
		if now >= time.Minute && now < 2*time.Minute {
			return 400 * time.Millisecond
		}
		return 100 * time.Millisecond
	}}
	saw := judgedCrawl{site: server.answer, workers: 200, long: ends}.run(t)
	t.Logf("longest queue %v, %d over a second; %d, %d, %d pages a minute", server.longest, server.over,
		saw.between(0, time.Minute), saw.between(time.Minute, 2*time.Minute), saw.between(2*time.Minute, ends))
	assert.LessOrEqual(t, server.longest, longest)
	assert.GreaterOrEqual(t, saw.between(time.Minute, 2*time.Minute), 8*60*10/4*9/10)
	assert.GreaterOrEqual(t, saw.between(2*time.Minute+10*time.Second, ends), 8*50*10*9/10)
}

// 200 goroutines begin at a server with four workers of 300 ms: nobody is in its queue for
// longer than a second.
func TestMannersACrowdAtAQueue(t *testing.T) {
	server := &judgedServer{free: make([]time.Duration, 4), takes: func(time.Duration) time.Duration { return 300 * time.Millisecond }}
	judgedCrawl{site: server.answer, workers: 200, long: 2 * time.Minute}.run(t)
	t.Logf("longest queue %v, %d requests over a second", server.longest, server.over)
	assert.Zero(t, server.over)
}

package conduct_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// 200 goroutines begin at a server with four workers of 300 ms: nobody is in its queue for
// longer than a second.
func TestMannersACrowdAtAQueue(t *testing.T) {
	server := &judgedServer{free: make([]time.Duration, 4), takes: func(time.Duration) time.Duration { return 300 * time.Millisecond }}
	judgedCrawl{site: server.answer, workers: 200, long: 2 * time.Minute}.run(t)
	t.Logf("longest queue %v, %d requests over a second", server.longest, server.over)
	assert.Zero(t, server.over)
}

package limit

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// There are millions of lanes.
func TestLaneIsSmall(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(Limit{}), uintptr(64))
	assert.LessOrEqual(t, unsafe.Sizeof(trouble{}), uintptr(216))
}

func TestHealthyLaneAllocatesNothing(t *testing.T) {
	var l Limit
	now := bound(0)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		l.Begin(now)
		l.End(Answer{Kind: Good, Begun: now, Now: now + 50e6, Took: 50e6})
		now += 60e6
	}))
	assert.Nil(t, l.trouble)
}

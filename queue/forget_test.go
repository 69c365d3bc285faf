package queue

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// Lanes that have been empty for long are forgotten, also if another is empty again and again.
func TestEmptyLanesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s lanes[int]
		visit := func(key string) {
			l := s.get(key)
			s.add(l, task[int]{})
			s.offer(l)
			l = s.take()
			l.pop()
			l.tried, l.under = false, 0
			s.offer(l)
		}
		for i := range 1000 {
			visit("busy")
			visit(fmt.Sprint(i))
			time.Sleep(10 * time.Second)
		}
		assert.Less(t, len(s.all), 10)
		assert.Less(t, len(s.empty), 20)
	})
}

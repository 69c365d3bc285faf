package fleet

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// While turns cannot be reserved, Health says so, with the cause. It is told once when they begin to fail,
// and once when they work again, however many requests are refused.
func TestHealthTellsThatTurnsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		var told []store.HealthEvent
		m := c.Join(paced(time.Second, 0), func(tr *polite.Transport) {
			tr.Trace.Health = func(e store.HealthEvent) { told = append(told, e) }
		})
		asks := func(n int, fails bool) {
			for range n {
				assert.Equal(t, fails, m.Ask(t.Context()) != nil)
				time.Sleep(2 * time.Second)
			}
		}
		asks(2, false)
		assert.NoError(t, m.Tr.Cache.Health().Failing)

		began := time.Now()
		m.FailNext("take", 5) // the server is out of memory, and all else goes on
		asks(5, true)
		health := m.Tr.Cache.Health()
		assert.Error(t, health.Failing)
		assert.WithinDuration(t, began, health.FailingSince, time.Second)
		assert.False(t, health.Deaf)

		asks(2, false)
		health = m.Tr.Cache.Health()
		assert.NoError(t, health.Failing)
		assert.Zero(t, health.FailingSince)
		told = slices.DeleteFunc(told, func(e store.HealthEvent) bool {
			return e.Kind != store.HealthTurnsFail && e.Kind != store.HealthTurnsWork
		})
		if assert.Len(t, told, 2) {
			assert.Equal(t, store.HealthTurnsFail, told[0].Kind)
			assert.Error(t, told[0].Err)
			assert.Equal(t, store.HealthEvent{Kind: store.HealthTurnsWork}, told[1])
		}
	})
}

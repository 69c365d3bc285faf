package memory

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// The starts that are over do not pile up.
func TestStartsThatAreOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		for i := range 10 {
			grant, _ := turns.Take("lane", store.Ask{Token: fmt.Sprint(i), Gap: time.Hour}, Start{})
			assert.Zero(t, grant.Wait)
			time.Sleep(time.Hour)
		}
		assert.LessOrEqual(t, len(turns.lanes["lane"].starts), 3)
	})
}

// A lane is remembered for longer than its own gap lasts, since another may ask for a longer one.
func TestLongerGapCountsFromTheLastStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		turns.Take("lane", store.Ask{Token: "one", Gap: 100 * time.Millisecond}, Start{})
		time.Sleep(5 * time.Second)
		for i := range 10_000 { // so that what is not needed is forgotten
			turns.Take(fmt.Sprint(i), store.Ask{Token: "one", Gap: 100 * time.Millisecond}, Start{})
		}
		grant, _ := turns.Take("lane", store.Ask{Token: "two", Gap: 10 * time.Second}, Start{})
		assert.Equal(t, 5*time.Second, grant.Wait)
	})
}

// A slot that is kept for a token which does not take it is that of the next, also if nobody calls meanwhile.
func TestSlotThatIsNotTakenIsHandedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		ctx, stop := context.WithCancel(t.Context())
		told := make(map[string]time.Duration)
		began := time.Now()
		var watch sync.WaitGroup
		watch.Go(func() {
			turns.Watch(ctx, func(c store.Change) {
				if c.Token != "" {
					told[c.Token] = time.Since(began)
				}
			})
		})
		synctest.Wait()
		for _, token := range []string{"a", "b", "c"} {
			turns.Take("lane", store.Ask{Token: token, Slots: 1, Lease: 5 * time.Second, Queue: true}, Start{})
		}
		time.Sleep(time.Minute)
		stop()
		watch.Wait()
		assert.Equal(t, map[string]time.Duration{"b": 5 * time.Second, "c": 5*time.Second + store.QueueHold}, told)
	})
}

package memory

import (
	"fmt"
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

package group

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// byLetter puts sites into a group of which only the key is known.
func byLetter(tr *polite.Transport) { tr.Pace.Group = &polite.Group{Key: firstLetter} }

// A group that is down is told as a site that is down, and says that it is a group.
func TestGroupThatIsDownIsTold(t *testing.T) {
	var mu sync.Mutex
	var found []polite.Limit
	c := groupCrawl{origins: 20, site: groupWell, workers: 1, long: 2 * time.Minute}
	c = groupSicknesses["503"].strike(c, func(now time.Duration, _ int) bool { return now > 30*time.Second && now < time.Minute })
	c.limited = func(l polite.Limit) {
		mu.Lock()
		defer mu.Unlock()
		if l.Group {
			found = append(found, l)
		}
	}
	c.run(t)
	require.NotEmpty(t, found)
	first, last := found[0], found[len(found)-1]
	assert.Equal(t, polite.TroubleBusy, first.Trouble)
	assert.Equal(t, "the group of the site is busy", first.String())
	assert.False(t, first.Until.IsZero())
	assert.Empty(t, last.Trouble)
	assert.Equal(t, "the group of the site is well", last.String())
}

// A Decision tells of the break of a group.
func TestBreakOfAGroupIsDecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		tr := c.Join(alone, byLetter).Tr
		for _, status := range []int{200, 503} {
			for i := range 6 {
				c.Web.Page(groupHost(i), "/0", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
				require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://"+groupHost(i)+"/0"))
			}
		}
		d, err := tr.Check(t.Context(), conduct.MustParse(t, "http://"+groupHost(0)+"/"))
		require.NoError(t, err)
		assert.True(t, d.Limit.Group, "%+v", d.Limit)
		assert.WithinDuration(t, time.Now().Add(2*time.Second), d.Limit.Until, 200*time.Millisecond)
		assert.WithinDuration(t, d.Limit.Until, d.Start, time.Millisecond)
	})
}

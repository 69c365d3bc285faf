package fleet

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tight is the least memory: the turns of 256 origins.
func tight(tr *polite.Transport) { tr.Cache.MaxBytes = 1 }

// askForBreaks lets m visit n sites that ask for a break of an hour each.
func askForBreaks(t *testing.T, c *conduct.Crew, m *conduct.Member, name string, n int) {
	c.Web.Page("", "/hostile", origintest.Status(http.StatusTooManyRequests, "Retry-After", "3600"))
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(m.Tr), fmt.Sprintf("http://%s%d.example/hostile", name, i)))
		})
	}
	all.Wait()
}

// A break that many others have pushed out of a process's memory is kept: the store knows it.
func TestFleetKeepsABreakThatAProcessHasForgotten(t *testing.T) {
	long.NotShort(t)
	for name, pace := range map[string]func(*polite.Transport){"no gap": paced(0, 0), "a gap and slots": paced(time.Second, 2)} {
		for _, hears := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, it has heard of it %v", name, hears), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { forgetABreak(t, pace, hears) })
			})
		}
	}
}

func forgetABreak(t *testing.T, pace func(*polite.Transport), hears bool) {
	c := conduct.NewCrew(t)
	one, other := c.Join(pace, tight), c.Join(pace, tight)
	got, visits := one, one
	if hears {
		visits = other
	}
	conduct.Know(t, one.Tr, "example.com")
	conduct.Know(t, other.Tr, "example.com")
	time.Sleep(time.Second)
	askForBreaks(t, c, one, "a", 300) // the newest are forgotten first
	c.Web.Page("example.com", "/busy", origintest.Status(http.StatusTooManyRequests, "Retry-After", "600"))
	require.NoError(t, conduct.Visit(t.Context(), conduct.Client(got.Tr), "http://example.com/busy"))
	began := time.Now()
	askForBreaks(t, c, one, "b", 300)
	c.Web.Take()
	for range 3 {
		assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(visits.Tr), "http://example.com/"))
	}
	for _, a := range c.Web.Log().At("example.com") {
		assert.GreaterOrEqual(t, a.Time.Sub(began), 600*time.Second, a.URI)
	}
}

// So is a gap.
func TestFleetKeepsAGapThatAProcessHasForgotten(t *testing.T) {
	long.NotShort(t)
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		c.Web.Robots("example.com", conduct.Delayed(30))
		c.Joins(2, tight)
		askForBreaks(t, c, c.Members[0], "a", 300)
		for i := range 4 {
			assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(c.Members[i%2].Tr), "http://example.com/"))
			askForBreaks(t, c, c.Members[i%2], fmt.Sprintf("b%d-", i), 300)
		}
		pages := c.Web.Log().At("example.com").Pages()
		require.Len(t, pages, 4)
		assert.Empty(t, conduct.TooClose(pages, 30*time.Second))
	})
}

package conduct_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tight is the least memory: the turns of 256 origins.
func tight(tr *polite.Transport) { tr.Cache.MaxBytes = 1 }

// askForBreaks lets m visit n sites that ask for a break of an hour each.
func askForBreaks(t *testing.T, c *crew, m *member, name string, n int) {
	c.web.Page("", "/hostile", origintest.Status(http.StatusTooManyRequests, "Retry-After", "3600"))
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			assert.NoError(t, visit(t.Context(), client(m.tr), fmt.Sprintf("http://%s%d.example/hostile", name, i)))
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
	c := newCrew(t)
	one, other := c.join(pace, tight), c.join(pace, tight)
	got, visits := one, one
	if hears {
		visits = other
	}
	know(t, one.tr, "example.com")
	know(t, other.tr, "example.com")
	time.Sleep(time.Second)
	askForBreaks(t, c, one, "a", 300) // the newest are forgotten first
	c.web.Page("example.com", "/busy", origintest.Status(http.StatusTooManyRequests, "Retry-After", "600"))
	require.NoError(t, visit(t.Context(), client(got.tr), "http://example.com/busy"))
	began := time.Now()
	askForBreaks(t, c, one, "b", 300)
	c.web.Take()
	for range 3 {
		assert.NoError(t, visit(t.Context(), client(visits.tr), "http://example.com/"))
	}
	for _, a := range c.web.Log().At("example.com") {
		assert.GreaterOrEqual(t, a.Time.Sub(began), 600*time.Second, a.URI)
	}
}

// So is a gap.
func TestFleetKeepsAGapThatAProcessHasForgotten(t *testing.T) {
	long.NotShort(t)
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		c.web.Robots("example.com", delayed(30))
		c.joins(2, tight)
		askForBreaks(t, c, c.members[0], "a", 300)
		for i := range 4 {
			assert.NoError(t, visit(t.Context(), client(c.members[i%2].tr), "http://example.com/"))
			askForBreaks(t, c, c.members[i%2], fmt.Sprintf("b%d-", i), 300)
		}
		pages := c.web.Log().At("example.com").Pages()
		require.Len(t, pages, 4)
		assert.Empty(t, tooClose(pages, 30*time.Second))
	})
}

package fleet

import (
	"cmp"
	"context"
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

// message is how long it takes at most until what one process has learnt holds for all: one
// telling, and one call to read it.
const message = 100 * time.Millisecond

// spread is over how long the processes of a fleet read new rules from the store. What is not
// read yet is announced, and stops pages, too.
const spread = 5 * time.Second

// newRules is a robots.txt that changes. It notes when it was first told in its new form.
type newRules struct {
	before, after string
	when          time.Time // it changes
	processes     int       // of the fleet; 0: 6

	mu   sync.Mutex
	told time.Time
}

func (n *newRules) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := n.before
	if time.Now().After(n.when) {
		body = n.after
		n.mu.Lock()
		if n.told.IsZero() {
			n.told = time.Now()
		}
		n.mu.Unlock()
	}
	conduct.Caching(body, 300)(w, r)
}

// changes lets a fleet crawl until a minute after robots.txt has changed. It returns the pages,
// and when all knew of the change.
func (n *newRules) changes(t *testing.T, dials func() time.Duration, edits ...func(*polite.Transport)) (pages origintest.Log, known time.Time) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		n.when = time.Now().Add(100 * time.Second)
		c.Web.Robots("example.com", n.ServeHTTP)
		c.Joins(cmp.Or(n.processes, 6), edits...)
		c.Dials.Change(dials)
		ctx, stop := context.WithCancel(t.Context())
		for _, m := range c.Members {
			m.Crawl(ctx, 4, "example.com")
		}
		for range 20 * 60 {
			if time.Sleep(time.Second); !n.learnt().IsZero() {
				break
			}
		}
		time.Sleep(time.Minute)
		stop()
		c.Under.Wait()
		require.False(t, n.learnt().IsZero(), "the change was learnt")
		pages, known = c.Web.Log().Pages(), n.learnt().Add(message)
	})
	return pages, known
}

func (n *newRules) learnt() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.told
}

// late returns how long after known pages have arrived, of those that have.
func late(pages origintest.Log, known time.Time) (after []string) {
	for _, a := range pages {
		if a.Time.After(known) {
			after = append(after, fmt.Sprint(a.Time.Sub(known)))
		}
	}
	return after
}

// dialsOfFleets are ways in which connecting takes its time. Each seed is another order.
func dialsOfFleets(t *testing.T, test func(t *testing.T, dials func() time.Duration)) {
	rare := func(seed uint64) func() time.Duration {
		n, quick, slow := 0, conduct.UptoBy(seed, 0, 300*time.Millisecond), conduct.UptoBy(seed, 2*time.Second, 35*time.Second)
		return func() time.Duration {
			if n++; n%10 == 0 {
				return slow()
			}
			return quick()
		}
	}
	if !testing.Short() {
		t.Run("no time", func(t *testing.T) { test(t, conduct.Always(0)) })
		t.Run("up to 300ms", func(t *testing.T) { test(t, conduct.Upto(0, 300*time.Millisecond)) })
	}
	for seed := range long.Or[uint64](1, 3) {
		if !testing.Short() {
			t.Run(fmt.Sprint("up to 4s, seed ", seed), func(t *testing.T) { test(t, conduct.UptoBy(seed, 0, 4*time.Second)) })
		}
		t.Run(fmt.Sprint("now and then up to 35s, seed ", seed), func(t *testing.T) { test(t, rare(seed)) })
	}
}

// Once `Disallow: /` is known, no process sends a page any more, also not one that was on its
// way.
func TestFleetSendsNoPageThatIsNowDisallowed(t *testing.T) {
	t.Parallel()
	for _, slots := range long.Last(0, 2) {
		t.Run(fmt.Sprintf("slots %d", slots), func(t *testing.T) {
			dialsOfFleets(t, func(t *testing.T, dials func() time.Duration) {
				n := &newRules{before: "user-agent: *\n", after: "user-agent: *\ndisallow: /\n"}
				pages, known := n.changes(t, dials, paced(300*time.Millisecond, slots), conduct.Fresh)
				require.NotEmpty(t, pages)
				assert.Empty(t, conduct.Few(late(pages, known)), "pages that arrive so long after all know that they are disallowed")
			})
		})
	}
}

// Once a longer crawl-delay is known, all processes keep it, also for what was on its way.
func TestFleetKeepsALongerDelayAtOnce(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	for _, slots := range []int{0, 2} {
		t.Run(fmt.Sprintf("slots %d", slots), func(t *testing.T) {
			dialsOfFleets(t, func(t *testing.T, dials func() time.Duration) {
				n := &newRules{before: "user-agent: *\ncrawl-delay: 1\n", after: "user-agent: *\ncrawl-delay: 5\n"}
				pages, known := n.changes(t, dials, paced(0, slots), conduct.Fresh)
				for len(pages) > 1 && !pages[1].Time.After(known) {
					pages = pages[1:]
				}
				require.Greater(t, len(pages), 3, "two slots can be with connects of 35s for half of the minute")
				assert.Empty(t, conduct.TooClose(pages, 5*time.Second), "gaps after 5s are known, %v", known.Format("04:05.000"))
			})
		})
	}
}

// Once a shorter crawl-delay is known, all processes use it, however many have reserved starts by the
// old one: nobody waits for longer than the old delay.
func TestFleetUsesAShorterDelaySoon(t *testing.T) {
	long.NotShort(t)
	for _, delay := range long.Or([]int{10}, []int{5, 10}) {
		for _, processes := range []int{6, 12} {
			for _, slots := range []int{0, 2} {
				t.Run(fmt.Sprintf("from %d s, %d processes, slots %d", delay, processes, slots), func(t *testing.T) {
					n := &newRules{processes: processes, before: fmt.Sprintf("user-agent: *\ncrawl-delay: %d\n", delay), after: "user-agent: *\ncrawl-delay: 1\n"}
					pages, known := n.changes(t, conduct.Upto(0, 20*time.Millisecond), paced(0, slots))
					assert.Empty(t, conduct.TooClose(pages, time.Second))
					last, silent, after := known, time.Duration(0), 0
					for _, a := range pages {
						if at := a.Time.Sub(known); at > 0 && at <= time.Minute-spread {
							silent, last = max(silent, a.Time.Sub(last)), a.Time
							if after++; at < time.Duration(delay)*time.Second+spread {
								after = 0
							}
						}
					}
					assert.LessOrEqual(t, silent, time.Duration(delay)*time.Second*51/50+message) // and the slack of a start
					assert.GreaterOrEqual(t, after, (50-delay)*85/100, "pages in %d s, from %v after the change on", 50-delay, time.Duration(delay)*time.Second+spread)
				})
			}
		}
	}
}

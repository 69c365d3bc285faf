package limit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
)

// A crowd is a client that always has more requests to send, up to so many at the same time.
type crowd struct {
	goroutines int
	workers    int                          // of the server; 0: any number
	takes      func(page int) time.Duration // of a worker for a page
}

// A flight is a request that is under way.
type flight struct{ begun, answered time.Duration }

// crawl fetches so many pages. It returns how long this takes, and the longest time that a request
// waited for a worker.
func (c crowd) crawl(pages int) (took, longest time.Duration) {
	p, free := newPlay(), make([]time.Duration, c.workers)
	var under []flight // in the order of their answers
	begun := p.now
	for page, done := 0, 0; done < pages; {
		for ; len(under) < c.goroutines && p.lane.Room(p.now); page++ {
			p.lane.Begin(p.now)
			start := p.now
			if c.workers > 0 {
				slices.Sort(free)
				start = max(start, free[0])
				free[0] = start + c.takes(page)
			}
			longest = max(longest, start-p.now)
			under = append(under, flight{p.now, start + c.takes(page)})
		}
		slices.SortStableFunc(under, func(a, b flight) int { return int(a.answered - b.answered) })
		p.now = under[0].answered
		for ; len(under) > 0 && under[0].answered == p.now; done++ {
			p.lane.End(limit.Answer{Kind: limit.Good, Begun: under[0].begun, Now: p.now, Took: max(p.now-under[0].begun, 1)})
			under = under[1:]
		}
	}
	return p.now - begun, longest
}

func takes(d time.Duration) func(int) time.Duration { return func(int) time.Duration { return d } }

// However many workers a server has, a crowd keeps them busy, and nobody waits for one for longer
// than four pages take.
func TestACrowdFindsTheWorkers(t *testing.T) {
	const page = 300 * time.Millisecond
	for _, workers := range []int{1, 2, 4, 8, 16, 32, 64} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			took, longest := crowd{goroutines: 200, workers: workers, takes: takes(page)}.crawl(400 * workers)
			assert.LessOrEqual(t, longest, 4*page)
			assert.LessOrEqual(t, took, 400*page*102/100)
		})
	}
}

// Where some pages come at once and all others take equally long, the slow answers come in bursts, in
// which none is quick. They are no queue. Nor are they where quick pages are rare.
func TestACrowdWhereSomePagesComeAtOnce(t *testing.T) {
	const pages, slow = 12_000, 300 * time.Millisecond
	for _, each := range []int{2, 5, 10, 50, 200} {
		chance := rand.New(rand.NewPCG(1, uint64(each)))
		for name, isQuick := range map[string]func(page int) bool{
			"the first":  func(page int) bool { return page%each == 0 },
			"the last":   func(page int) bool { return page%each == each-1 },
			"by chance":  func(int) bool { return chance.IntN(each) == 0 },
			"one by one": func(page int) bool { return page%each == page/each%each }, // another one of each
		} {
			quick := make([]bool, pages+200)
			for page := range quick {
				quick[page] = isQuick(page)
			}
			for _, goroutines := range []int{16, 200} {
				t.Run(fmt.Sprintf("%s of %d, %d goroutines", name, each, goroutines), func(t *testing.T) {
					took, _ := crowd{goroutines: goroutines, takes: func(page int) time.Duration {
						if quick[page] {
							return 0
						}
						return slow
					}}.crawl(pages)
					ideal := slow * time.Duration(pages*(each-1)/each/goroutines)
					t.Logf("%v, %v without a window", took, ideal)
					assert.LessOrEqual(t, took, ideal+ideal/100+7*slow)
				})
			}
		}
	}
}

// A first page that is quicker than all others does not keep the window small.
func TestAFirstPageThatIsQuick(t *testing.T) {
	for _, others := range []time.Duration{450 * time.Millisecond, 600 * time.Millisecond} {
		t.Run(others.String(), func(t *testing.T) {
			took, _ := crowd{goroutines: 16, takes: func(page int) time.Duration {
				if page == 0 {
					return 250 * time.Millisecond
				}
				return others
			}}.crawl(1600)
			assert.LessOrEqual(t, took, 130*others)
		})
	}
}

// A server becomes slower while some requests wait there, as they often do. When nobody waits any
// more, the rest is the server's, and its workers are kept busy.
func TestACrowdWhereAServerBecomesSlow(t *testing.T) {
	const workers, usual, slow, pages = 8, 100 * time.Millisecond, 400 * time.Millisecond, 2400
	for from := 1000; from < 1200; from++ {
		took, longest := crowd{goroutines: 32, workers: workers, takes: func(page int) time.Duration {
			if page < from {
				return usual
			}
			return slow
		}}.crawl(from + pages)
		ideal := (time.Duration(from)*usual + pages*slow) / workers
		assert.LessOrEqual(t, took, ideal*105/100, "slow from page %d on", from)
		assert.LessOrEqual(t, longest, 4*slow)
	}
}

// A queue of ours is one, also where pages take different times: it is not taken for the site's.
func TestACrowdWhereTimesVary(t *testing.T) {
	for workers, page := range map[int]time.Duration{1: 10, 2: 50, 4: 100, 8: 200} {
		page *= time.Millisecond
		for seed := range long.Or[uint64](20, 100) {
			times := make([]time.Duration, 2000)
			for i, chance := 0, rand.New(rand.NewPCG(seed, 1)); i < len(times); i++ {
				times[i] = page/2 + time.Duration(chance.Int64N(int64(page)))
			}
			_, longest := crowd{goroutines: 64, workers: workers, takes: func(page int) time.Duration { return times[page] }}.crawl(len(times) - 64)
			assert.LessOrEqual(t, longest, 4*page+time.Second/2, "%d workers, seed %d", workers, seed)
		}
	}
}

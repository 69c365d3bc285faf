package manners

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

const (
	oneWay  = 10 * time.Millisecond // from the client to the site
	shaking = 2 * time.Millisecond  // how much longer the way may be, usually
)

// A crawl fetches pages from a site.
type crawl struct {
	site       site
	controller controller
	goroutines int
	pages      int           // that are to be fetched
	until      time.Duration // when it ends at the latest; 0: when all pages are there
	seed       uint64
	way        func(chance *rand.Rand) time.Duration // how long a request, or an answer, is on its way; nil: usualWay
	watch      func(now time.Duration, status int)   // is told of arrivals; may be nil

	chance *rand.Rand
	events events
	now    time.Duration
	under  int           // requests under way
	wake   time.Duration // when the next one begins that is planned
	fresh  int           // pages that were asked for
	again  []page        // pages to ask for again
	result result
}

func newCrawl(of site, by controller, goroutines, pages int) *crawl {
	return &crawl{site: of, controller: by, goroutines: goroutines, pages: pages}
}

// A result is what came of a crawl.
type result struct {
	took           time.Duration
	done, bad, all int
}

func (r result) badShare() float64 { return float64(r.bad) / float64(max(r.all, 1)) }

// run fetches all pages. What a site refuses is asked for again, at the end.
func (c *crawl) run() result {
	if polite, ok := c.controller.(*ours); ok {
		synctest.Test(polite.t, func(*testing.T) { c.fetch() })
	} else {
		c.fetch()
	}
	return c.result
}

func (c *crawl) fetch() {
	begun := time.Now()
	c.chance = rand.New(rand.NewPCG(c.seed, 1))
	if c.way == nil {
		c.way = usualWay
	}
	c.fill()
	for c.result.done < c.pages && len(c.events) > 0 {
		e := c.events.pop()
		if c.now = e.at; c.until > 0 && c.now >= c.until {
			break
		}
		if _, ok := c.controller.(*ours); ok {
			time.Sleep(c.now - time.Since(begun))
		}
		switch e.what {
		case alarms:
			c.wake = 0
		case arrives:
			c.arrive(e)
		case returns:
			c.answered(*e.answer)
		}
		c.fill()
	}
	c.result.took = c.now
}

// fill begins requests while there are goroutines, pages, and leave.
func (c *crawl) fill() {
	for {
		idle := min(c.goroutines-c.under, c.pages-c.fresh+len(c.again))
		if idle <= 0 {
			return
		}
		turn, at, ok := c.controller.begin(c.now, idle)
		if !ok {
			if at > c.now && (c.wake == 0 || at < c.wake) {
				c.wake = at
				c.events.push(event{at: at})
			}
			return
		}
		c.under++
		c.events.push(event{at: c.now + c.way(c.chance), what: arrives, answer: &answer{begun: c.now, page: c.take(), turn: turn}})
	}
}

func usualWay(chance *rand.Rand) time.Duration {
	return oneWay + time.Duration(chance.Int64N(int64(shaking)))
}

func (c *crawl) take() page {
	if c.fresh < c.pages {
		c.fresh++
		return page{number: c.fresh, section: c.chance.IntN(sections)}
	}
	p := c.again[0]
	c.again = c.again[1:]
	return p
}

func (c *crawl) arrive(e event) {
	e.answer.reply = c.site.arrive(e.answer.page, c.now, c.chance)
	if c.watch != nil {
		c.watch(c.now, e.answer.reply.status)
	}
	e.what, e.at = returns, c.now+e.answer.reply.after+c.way(c.chance)
	c.events.push(e)
}

func (c *crawl) answered(a answer) {
	a.now = c.now
	c.under--
	c.result.all++
	switch a.reply.status {
	case 0, 403, 429, 503:
		c.result.bad++
		c.again = append(c.again, a.page)
	default:
		c.result.done++
	}
	c.controller.end(a)
}

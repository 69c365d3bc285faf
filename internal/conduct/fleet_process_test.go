package conduct_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
)

// A crew is a fleet that crawls the site example.com, which logs what arrives.
type crew struct {
	*testing.T
	web     *origintest.Server
	store   *fleetStore
	way     func() time.Duration // of a call to the store
	dials   *connects
	members []*member
	under   sync.WaitGroup
	began   time.Time
}

// A member is a process of a crew.
type member struct {
	*link
	n     int // in the crew
	tr    *polite.Transport
	under *sync.WaitGroup // of the crew
}

// newCrew returns a fleet without processes, whose calls to the store take a millisecond.
func newCrew(t *testing.T) *crew {
	c := &crew{T: t, web: origintest.NewInMemory(t), store: newFleetStore(), dials: &connects{takes: always(0)}, began: time.Now()}
	c.way = always(time.Millisecond)
	t.Cleanup(func() { c.under.Wait(); time.Sleep(time.Minute) }) // until nobody listens to the store
	return c
}

// join begins a process.
func (c *crew) join(edits ...func(*polite.Transport)) *member {
	m := &member{link: newLink(c.store), n: len(c.members), under: &c.under}
	m.way = c.way
	m.tr = newTransport(c.T, c.web)
	m.tr.Policy.Timeout = 20 * time.Second
	m.tr.Cache = &polite.Cache{Store: m.link}
	c.dials.slowing(m.tr.Base.(*http.Transport))
	for _, edit := range edits {
		edit(m.tr)
	}
	c.Cleanup(m.tr.CloseIdleConnections)
	c.members = append(c.members, m)
	return m
}

// joins begins n processes that are alike.
func (c *crew) joins(n int, edits ...func(*polite.Transport)) {
	for range n {
		c.join(edits...)
	}
}

// page is the page that the process asks for: "/3".
func (m *member) page() string { return fmt.Sprint("/", m.n) }

// crawl asks for pages of a host with so many workers, until ctx ends. A worker that is
// refused comes back when it is told to.
func (m *member) crawl(ctx context.Context, workers int, host string) {
	for range workers {
		m.under.Go(func() {
			for ctx.Err() == nil {
				err := visit(ctx, client(m.tr), "http://"+host+m.page())
				origintest.Wait(ctx, untilAgain(err))
			}
		})
	}
}

// untilAgain is how long a crawler waits after err.
func untilAgain(err error) time.Duration {
	if err == nil {
		return 0
	}
	if late, ok := errors.AsType[*polite.DelayError](err); ok {
		return max(time.Until(late.Turn), 50*time.Millisecond)
	}
	return time.Second
}

// crawlAll lets all processes crawl example.com for d.
func (c *crew) crawlAll(d time.Duration, workers int) {
	ctx, cancel := context.WithCancel(c.Context())
	for _, m := range c.members {
		m.crawl(ctx, workers, "example.com")
	}
	time.Sleep(d)
	cancel()
	c.under.Wait()
}

// pages returns the pages that have arrived between two times since the fleet began.
func (c *crew) pages(from, to time.Duration) (pages origintest.Log) {
	for _, a := range c.web.Log().Pages() {
		if at := a.Time.Sub(c.began); at >= from && at < to {
			pages = append(pages, a)
		}
	}
	return pages
}

// of returns the arrivals of a process.
func (m *member) of(log origintest.Log) (own origintest.Log) {
	for _, a := range log {
		if a.URI == m.page() || strings.HasPrefix(a.URI, m.page()+"/") {
			own = append(own, a)
		}
	}
	return own
}

// upto takes any time from least to most.
func upto(least, most time.Duration) func() time.Duration { return uptoBy(7, least, most) }

func uptoBy(seed uint64, least, most time.Duration) func() time.Duration {
	random := rand.New(rand.NewPCG(seed, uint64(most)))
	return func() time.Duration { return least + time.Duration(random.Int64N(int64(most-least)+1)) }
}

// fresh makes no connection serve twice.
func fresh(tr *polite.Transport) { tr.Base.(*http.Transport).DisableKeepAlives = true }

// paced sets the gap and the limit.
func paced(gap time.Duration, slots int) func(*polite.Transport) {
	return func(tr *polite.Transport) { tr.Pace.MinDelay, tr.Pace.Concurrency = gap, slots }
}

// tooClose returns the gaps that are shorter than gap.
func tooClose(log origintest.Log, gap time.Duration) (short []string) {
	for i := 1; i < len(log); i++ {
		if apart := log[i].Time.Sub(log[i-1].Time); apart < gap {
			short = append(short, fmt.Sprintf("%s after %s at %s: %v", log[i].URI, log[i-1].URI, log[i].Time.Format("04:05.000"), apart))
		}
	}
	return few(short)
}

// few returns the first of a list, and how long it is.
func few(list []string) []string {
	if len(list) > 3 {
		return append(list[:3:3], fmt.Sprintf("and more, %d in all, the last: %s", len(list), list[len(list)-1]))
	}
	return list
}

// mostUnderWay returns how many pages were under way at the same time, if each takes so long.
func mostUnderWay(pages origintest.Log, takes time.Duration) (most int) {
	for i, later := range pages {
		under := 1
		for _, earlier := range pages[:i] {
			if later.Time.Sub(earlier.Time) < takes {
				under++
			}
		}
		most = max(most, under)
	}
	return most
}

package conduct

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

// A Crew is a fleet that crawls the site example.com, which logs what arrives.
type Crew struct {
	*testing.T
	Web     *origintest.Server
	store   *fleetStore
	Way     func() time.Duration // of a call to the store
	Dials   *Connects
	Members []*Member
	Under   sync.WaitGroup
	Began   time.Time
}

// A Member is a process of a crew.
type Member struct {
	*link
	n     int // in the crew
	Tr    *polite.Transport
	under *sync.WaitGroup // of the crew
}

// NewCrew returns a fleet without processes, whose calls to the store take a millisecond.
func NewCrew(t *testing.T) *Crew {
	c := &Crew{T: t, Web: origintest.NewInMemory(t), store: newFleetStore(), Dials: &Connects{Takes: Always(0)}, Began: time.Now()}
	c.Way = Always(time.Millisecond)
	t.Cleanup(func() { c.Under.Wait(); time.Sleep(time.Minute) }) // until nobody listens to the store
	return c
}

// Join begins a process.
func (c *Crew) Join(edits ...func(*polite.Transport)) *Member {
	m := &Member{link: newLink(c.store), n: len(c.Members), under: &c.Under}
	m.way = c.Way
	m.Tr = NewTransport(c.T, c.Web)
	m.Tr.Policy = polite.Policy{Timeout: 20 * time.Second}
	m.Tr.Cache = &polite.Cache{Store: m.link}
	c.Dials.Slowing(m.Tr.Base.(*http.Transport))
	for _, edit := range edits {
		edit(m.Tr)
	}
	c.Cleanup(m.Tr.CloseIdleConnections)
	c.Members = append(c.Members, m)
	return m
}

// Joins begins n processes that are alike.
func (c *Crew) Joins(n int, edits ...func(*polite.Transport)) {
	for range n {
		c.Join(edits...)
	}
}

// Page is the page that the process asks for: "/3".
func (m *Member) Page() string { return fmt.Sprint("/", m.n) }

// Crawl asks for pages of a host with so many workers, until ctx ends. A worker that is
// refused comes back when it is told to.
func (m *Member) Crawl(ctx context.Context, workers int, host string) {
	for range workers {
		m.under.Go(func() {
			for ctx.Err() == nil {
				err := Visit(ctx, Client(m.Tr), "http://"+host+m.Page())
				origintest.Wait(ctx, UntilAgain(err))
			}
		})
	}
}

// UntilAgain is how long a crawler waits after err.
func UntilAgain(err error) time.Duration {
	if err == nil {
		return 0
	}
	if late, ok := errors.AsType[*polite.DelayError](err); ok {
		return max(time.Until(late.Turn), 50*time.Millisecond)
	}
	return time.Second
}

// CrawlAll lets all processes crawl example.com for d.
func (c *Crew) CrawlAll(d time.Duration, workers int) {
	ctx, cancel := context.WithCancel(c.Context())
	for _, m := range c.Members {
		m.Crawl(ctx, workers, "example.com")
	}
	time.Sleep(d)
	cancel()
	c.Under.Wait()
}

// Pages returns the pages that have arrived between two times since the fleet began.
func (c *Crew) Pages(from, to time.Duration) (pages origintest.Log) {
	for _, a := range c.Web.Log().Pages() {
		if at := a.Time.Sub(c.Began); at >= from && at < to {
			pages = append(pages, a)
		}
	}
	return pages
}

// Of returns the arrivals of a process.
func (m *Member) Of(log origintest.Log) (own origintest.Log) {
	for _, a := range log {
		if a.URI == m.Page() || strings.HasPrefix(a.URI, m.Page()+"/") {
			own = append(own, a)
		}
	}
	return own
}

// Upto takes any time from least to most.
func Upto(least, most time.Duration) func() time.Duration { return UptoBy(7, least, most) }

// UptoBy is Upto with a seed.
func UptoBy(seed uint64, least, most time.Duration) func() time.Duration {
	random := rand.New(rand.NewPCG(seed, uint64(most)))
	return func() time.Duration { return least + time.Duration(random.Int64N(int64(most-least)+1)) }
}

// Fresh makes no connection serve twice.
func Fresh(tr *polite.Transport) { tr.Base.(*http.Transport).DisableKeepAlives = true }

// TooClose returns the gaps that are shorter than gap.
func TooClose(log origintest.Log, gap time.Duration) (short []string) {
	for i := 1; i < len(log); i++ {
		if apart := log[i].Time.Sub(log[i-1].Time); apart < gap {
			short = append(short, fmt.Sprintf("%s after %s at %s: %v", log[i].URI, log[i-1].URI, log[i].Time.Format("04:05.000"), apart))
		}
	}
	return Few(short)
}

// Few returns the first of a list, and how long it is.
func Few(list []string) []string {
	if len(list) > 3 {
		return append(list[:3:3], fmt.Sprintf("and more, %d in all, the last: %s", len(list), list[len(list)-1]))
	}
	return list
}

// MostUnderWay returns how many pages were under way at the same time, if each takes so long.
func MostUnderWay(pages origintest.Log, takes time.Duration) (most int) {
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

// LoseData restarts the store with nothing in it: connections end before the data is gone.
func (c *Crew) LoseData(down time.Duration) {
	for _, m := range c.Members {
		m.Leave()
	}
	time.Sleep(down)
	c.store.lose()
	for _, m := range c.Members {
		m.ComeBack()
	}
}

// Flush empties the store, which processes notice after a while.
func (c *Crew) Flush(noticed time.Duration) {
	c.store.lose()
	time.Sleep(noticed)
	for _, m := range c.Members {
		m.Leave()
		m.ComeBack()
	}
}

// Ask asks for the page of the process, once.
func (m *Member) Ask(ctx context.Context) error {
	return Visit(ctx, Client(m.Tr), "http://example.com"+m.Page())
}

// Flap lets a process lose its store and find it again, a second each. Its calls fail
// meanwhile, or wait.
func (m *Member) Flap(until time.Time, waits bool) {
	for time.Now().Before(until) {
		if waits {
			m.Stall(time.Second)
		} else {
			m.Leave()
		}
		time.Sleep(time.Second)
		m.ComeBack()
		time.Sleep(time.Second)
	}
}

// VisitEvery lets a visitor ask for a page at its own gap, at random times.
func (m *Member) VisitEvery(ctx context.Context, tr *polite.Transport, page string, most time.Duration, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 3))
	m.under.Go(func() {
		for origintest.Wait(ctx, time.Duration(random.Int64N(int64(most)))) {
			origintest.Wait(ctx, UntilAgain(Visit(ctx, Client(tr), "http://example.com"+page)))
		}
	})
}

// Sibling returns another Transport of the process, with a pace of its own.
func (m *Member) Sibling(t *testing.T, web *origintest.Server, gap time.Duration) *polite.Transport {
	tr, pace := NewTransport(t, web), m.Tr.Pace
	pace.MinDelay = gap
	tr.Cache, tr.Pace = m.Tr.Cache, pace
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

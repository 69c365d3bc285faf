package group

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
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

const groupGap = 500 * time.Millisecond

// grouped puts all hosts with the same first letter into one group.
func grouped(gap time.Duration, slots int) func(*polite.Transport) {
	return func(tr *polite.Transport) {
		tr.Pace.Group = &polite.Group{Key: firstLetter, MinDelay: gap, Concurrency: slots}
	}
}

func firstLetter(req *http.Request) string { return req.URL.Hostname()[:1] }

// alone gives a process no store.
func alone(tr *polite.Transport) { tr.Cache = new(polite.Cache) }

// inEachWay runs a test without a store, and with one.
func inEachWay(t *testing.T, test func(t *testing.T, way func(*polite.Transport))) {
	for name, way := range map[string]func(*polite.Transport){"alone": alone, "shared": func(*polite.Transport) {}} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, way) }) })
	}
}

// An estate is one address with many origins. Every fourth asks for four seconds.
type estate struct {
	*conduct.Crew
	origins int
}

const estateDelay = 4

func newEstate(t *testing.T, origins int) *estate {
	e := &estate{conduct.NewCrew(t), origins}
	for i := range origins {
		e.Web.Page(e.host(i), "/", origintest.Delay(30*time.Millisecond, origintest.Text("a page\n")))
		if e.asks(i) {
			e.Web.Robots(e.host(i), conduct.Delayed(estateDelay))
		}
	}
	return e
}

func (e *estate) asks(i int) bool   { return i%4 == 0 }
func (e *estate) host(i int) string { return fmt.Sprintf("a%d.example.com", i) }

// crawl lets the workers of each process ask for the origins one after the other, so many
// rounds.
func (e *estate) crawl(workers, rounds int) {
	var next atomic.Int64
	for range workers {
		for _, m := range e.Members {
			e.Under.Go(func() {
				for {
					n := int(next.Add(1)) - 1
					if n >= rounds*e.origins {
						return
					}
					assert.NoError(e, conduct.Visit(e.Context(), conduct.Client(m.Tr), "http://"+e.host(n%e.origins)+"/"))
				}
			})
		}
	}
	e.Under.Wait()
}

// judge asserts that no gap was short, of the address or of an origin, and that the address got such
// a share of what it allows.
func (e *estate) judge(share float64) {
	log := e.Web.Log()
	assert.Empty(e, conduct.TooClose(log, groupGap), "of the address")
	for i := range e.origins {
		if e.asks(i) {
			assert.Empty(e, conduct.TooClose(log.At(e.host(i)).Pages(), estateDelay*time.Second), "of an origin")
		}
	}
	require.NotEmpty(e, log)
	took := log[len(log)-1].Time.Sub(log[0].Time)
	allowed := float64(took)/float64(groupGap) + 1
	e.Logf("%d of %.0f in %v", len(log), allowed, took)
	assert.GreaterOrEqual(e, float64(len(log)), share*allowed)
}

// An address with a thousand origins gets no more than it can bear, and nearly as much. Each origin
// has its turn.
func TestGroupOfManyOrigins(t *testing.T) {
	origins := long.Or(120, 1000)
	for _, workers := range long.Last(1, 16, 200) {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			inEachWay(t, func(t *testing.T, way func(*polite.Transport)) {
				e := newEstate(t, origins)
				e.Join(grouped(groupGap, 0), way)
				e.crawl(workers, 3)
				e.judge(0.95)
				for i := range origins {
					assert.Len(t, e.Web.Log().At(e.host(i)).Pages(), 3)
				}
			})
		})
	}
}

// Requests for robots.txt have the gap of the group, also where they are redirected.
func TestGroupSpacesRobots(t *testing.T) {
	inEachWay(t, func(t *testing.T, way func(*polite.Transport)) {
		e := newEstate(t, 12)
		for i := range e.origins {
			e.Web.Robots(e.host(i), origintest.Redirect("http://a-www"+e.host(i)+"/robots.txt"))
		}
		tr := e.Join(grouped(groupGap, 0), way).Tr
		for i := range e.origins {
			e.Under.Go(func() { assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://"+e.host(i)+"/")) })
		}
		e.Under.Wait()
		log := e.Web.Log()
		assert.Len(t, log, 36)
		assert.Empty(t, conduct.TooClose(log, groupGap))
		assert.LessOrEqual(t, log[35].Time.Sub(log[0].Time), 36*groupGap)
	})
}

// A redirect from one group to another takes a turn in each.
func TestGroupOfARedirect(t *testing.T) {
	inEachWay(t, func(t *testing.T, way func(*polite.Transport)) {
		c := conduct.NewCrew(t)
		c.Web.Page("a.example.com", "/", origintest.Redirect("http://b.example.com/"))
		tr := c.Join(grouped(groupGap, 1), way).Tr
		for range 5 {
			c.Under.Go(func() { assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://a.example.com/")) })
		}
		c.Under.Wait()
		for _, host := range []string{"a.example.com", "b.example.com"} {
			log := c.Web.Log().At(host)
			assert.Len(t, log, 6, host)
			assert.Empty(t, conduct.TooClose(log, groupGap), host)
			assert.LessOrEqual(t, log[5].Time.Sub(log[0].Time), 6*groupGap, host)
		}
	})
}

// The limit of a group counts requests until their bodies are closed.
func TestGroupLimit(t *testing.T) {
	inEachWay(t, func(t *testing.T, way func(*polite.Transport)) {
		c := conduct.NewCrew(t)
		tr := c.Join(grouped(0, 3), way).Tr
		var under, most atomic.Int32
		for i := range 30 {
			c.Under.Go(func() {
				resp, err := conduct.Client(tr).Get(fmt.Sprintf("http://a%d.example.com/", i))
				if !assert.NoError(t, err) {
					return
				}
				if now := under.Add(1); now > most.Load() {
					most.Store(now)
				}
				time.Sleep(time.Second)
				under.Add(-1)
				resp.Body.Close()
			})
		}
		c.Under.Wait()
		pages := c.Web.Log().Pages()
		require.Len(t, pages, 30)
		assert.Equal(t, int32(3), most.Load())
		assert.LessOrEqual(t, conduct.MostUnderWay(pages, time.Second), 3)
		assert.LessOrEqual(t, pages[29].Time.Sub(pages[0].Time), 11*time.Second)
	})
}

// A site of a group that has asked for a break holds up no other.
func TestGroupGoesOnInABreak(t *testing.T) {
	inEachWay(t, func(t *testing.T, way func(*polite.Transport)) {
		c := conduct.NewCrew(t)
		c.Web.Page("a0.example.com", "/", origintest.Delay(100*time.Millisecond, origintest.Status(503, "Retry-After", "60")), origintest.Text("a page\n"))
		tr := c.Join(grouped(groupGap, 1), way).Tr
		for range 3 {
			c.Under.Go(func() { assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://a0.example.com/")) })
		}
		for i := 1; i < 20; i++ {
			c.Under.Go(func() {
				for range 3 {
					assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), fmt.Sprintf("http://a%d.example.com/", i)))
				}
			})
		}
		c.Under.Wait()
		log := c.Web.Log()
		assert.Empty(t, conduct.TooClose(log, groupGap))
		var others origintest.Log
		for _, a := range log {
			if a.Host != "a0.example.com" {
				others = append(others, a)
			}
		}
		assert.LessOrEqual(t, others[len(others)-1].Time.Sub(log[0].Time), 81*groupGap)
		pages := log.At("a0.example.com").Pages()
		require.Len(t, pages, 3)
		assert.GreaterOrEqual(t, pages[1].Time.Sub(pages[0].Time), time.Minute)
		assert.LessOrEqual(t, pages[2].Time.Sub(pages[0].Time), time.Minute+2*time.Second)
	})
}

// Who would be late is told so at once, and when both turns would have come. Nothing stays held.
func TestGroupRefusesWhoIsLate(t *testing.T) {
	inEachWay(t, func(t *testing.T, way func(*polite.Transport)) {
		c := conduct.NewCrew(t)
		tr := c.Join(grouped(groupGap, 1), way).Tr
		for i := range 20 {
			require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), fmt.Sprintf("http://a%d.example.com/", i))) // robots.txt is known
		}
		start := time.Now()
		for i := range 10 {
			c.Under.Go(func() {
				assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), fmt.Sprintf("http://a%d.example.com/", i)))
			})
		}
		synctest.Wait()
		time.Sleep(time.Millisecond)
		for i := 10; i < 20; i++ {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			began := time.Now()
			err := conduct.Visit(ctx, conduct.Client(tr), fmt.Sprintf("http://a%d.example.com/", i))
			cancel()
			late, ok := errors.AsType[*polite.DelayError](err)
			require.True(t, ok, "%v", err)
			assert.Zero(t, time.Since(began))
			assert.WithinRange(t, late.Turn, start.Add(9*groupGap), start.Add(21*groupGap))
		}
		c.Under.Wait()
		before := time.Now()
		require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://a15.example.com/"))
		assert.LessOrEqual(t, time.Since(before), groupGap+groupGap/50)
	})
}

// Who gives up because robots.txt waits for its turn is told when that may be.
func TestGroupTellsWhenRobotsMayCome(t *testing.T) {
	inEachWay(t, func(t *testing.T, way func(*polite.Transport)) {
		c := conduct.NewCrew(t)
		tr := c.Join(grouped(groupGap, 0), way).Tr
		start := time.Now()
		for i := range 100 {
			c.Under.Go(func() {
				assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), fmt.Sprintf("http://a%d.example.com/", i)))
			})
		}
		synctest.Wait()
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := conduct.Visit(ctx, conduct.Client(tr), "http://ahurry.example.com/")
		late, ok := errors.AsType[*polite.DelayError](err)
		require.True(t, ok, "%v", err)
		assert.True(t, late.Turn.After(start.Add(90*groupGap)), "%v", late.Turn.Sub(start))
		c.Under.Wait()
		assert.Empty(t, conduct.TooClose(c.Web.Log(), groupGap))
		assert.Len(t, c.Web.Log(), 200, "nothing was sent for who gave up")
	})
}

// Who is cancelled, wherever it waits, holds nothing.
func TestGroupForgetsWhoIsCancelled(t *testing.T) {
	inEachWay(t, func(t *testing.T, way func(*polite.Transport)) {
		e := newEstate(t, 10)
		e.Dials.Change(conduct.Upto(0, 300*time.Millisecond))
		tr := e.Join(grouped(groupGap, 2), way, conduct.Fresh).Tr
		for i := range 200 {
			e.Under.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Duration(i)*97*time.Millisecond, cancel)
				conduct.Visit(ctx, conduct.Client(tr), "http://"+e.host(i%e.origins)+"/")
			})
		}
		e.Under.Wait()
		time.Sleep(estateDelay * time.Second)
		before := len(e.Web.Log())
		began := time.Now()
		var all sync.WaitGroup
		for i := range e.origins {
			all.Go(func() { assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://"+e.host(i)+"/")) })
		}
		all.Wait()
		assert.LessOrEqual(t, time.Since(began), time.Duration(len(e.Web.Log())-before+1)*groupGap+time.Second)
		assert.Empty(t, conduct.TooClose(e.Web.Log(), groupGap))
	})
}

// A fleet finds the same, whichever process asks for which origin.
func TestGroupOfAFleet(t *testing.T) {
	origins := long.Or(100, 1000)
	for _, processes := range long.Last(2, 4, 8, 16) {
		for name, dials := range map[string]time.Duration{"at once": 0, "up to 300ms": 300 * time.Millisecond} {
			t.Run(fmt.Sprintf("%d processes, dials %s", processes, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					e := newEstate(t, origins)
					e.Dials.Change(conduct.Upto(0, dials))
					e.Joins(processes, grouped(groupGap, 0))
					e.crawl(16/processes, 3)
					e.judge(0.93) // 0.964 in one order of goroutines; from Go 1.27 on a bubble has many, from 0.943 on
					for i := range origins {
						assert.Len(t, e.Web.Log().At(e.host(i)).Pages(), 3)
					}
				})
			})
		}
	}
}

// Processes that want the same few origins neither wait for each other in vain nor starve one.
func TestGroupOfAFleetAtFewOrigins(t *testing.T) {
	for _, processes := range []int{1, 2, 4, 8} {
		t.Run(fmt.Sprint(processes, " processes"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const hosts = 12
				e := newEstate(t, hosts)
				for i := range hosts {
					e.Web.Robots(e.host(i), conduct.Delayed(estateDelay))
				}
				e.Dials.Change(conduct.Upto(0, 200*time.Millisecond))
				e.Joins(processes, grouped(groupGap, 0))
				ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
				defer cancel()
				for _, m := range e.Members {
					for i := range hosts {
						m.Crawl(ctx, 2, e.host(i))
					}
				}
				e.Under.Wait()
				log := e.Web.Log()
				assert.Empty(t, conduct.TooClose(log, groupGap), "of the address")
				for i := range hosts {
					pages := log.At(e.host(i)).Pages()
					assert.Empty(t, conduct.TooClose(pages, estateDelay*time.Second), e.host(i))
					assert.GreaterOrEqual(t, len(pages), 30, e.host(i))
				}
				for _, m := range e.Members {
					assert.GreaterOrEqual(t, len(m.Of(log)), 468/processes/2, "of a process")
				}
				t.Logf("%d of 480", len(log))
				assert.GreaterOrEqual(t, len(log), 480*95/100)
			})
		})
	}
}

// So it is where calls to the store take long.
func TestGroupOfAFleetFarFromItsStore(t *testing.T) {
	for name, far := range map[string]struct {
		way   func() time.Duration
		share float64 // each start comes later by the slack, which covers a call
	}{
		"up to 4ms": {conduct.Upto(300*time.Microsecond, 4*time.Millisecond), 0.93},
		"10ms":      {conduct.Always(10 * time.Millisecond), 0.9},
		"40ms":      {conduct.Always(40 * time.Millisecond), 0.8},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEstate(t, 24)
				for i := range e.origins {
					e.Web.Robots(e.host(i), conduct.Delayed(estateDelay))
				}
				e.Way = far.way
				e.Dials.Change(conduct.Upto(80*time.Millisecond, 120*time.Millisecond))
				e.Joins(4, grouped(groupGap, 4))
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
				defer cancel()
				for _, m := range e.Members {
					for i := range e.origins {
						m.Crawl(ctx, 1, e.host(i))
					}
				}
				e.Under.Wait()
				log := e.Web.Log()
				assert.Empty(t, conduct.TooClose(log, groupGap), "of the address")
				least := len(log)
				for i := range e.origins {
					pages := log.At(e.host(i)).Pages()
					assert.Empty(t, conduct.TooClose(pages, estateDelay*time.Second), e.host(i))
					least = min(least, len(pages))
				}
				t.Logf("%d of 360, at least %d at an origin", len(log), least)
				assert.GreaterOrEqual(t, float64(len(log)), 360*far.share)
				assert.GreaterOrEqual(t, least, 6)
			})
		})
	}
}

// Who may not wait is told so, also if it is the turn above that does not come at once.
func TestGroupWithoutAQueue(t *testing.T) {
	inEachWay(t, func(t *testing.T, way func(*polite.Transport)) {
		e := newEstate(t, 4)
		tr := e.Join(way, grouped(5*time.Second, 0)).Tr
		tr.Pace.MaxQueue, tr.Pace.MaxWait = polite.NoQueue, polite.Forever
		for _, host := range []string{e.host(1), e.host(2)} { // so that robots.txt is known
			tr.Check(t.Context(), conduct.MustParse(t, "http://"+host+"/"))
		}
		time.Sleep(10 * time.Second)
		require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://"+e.host(1)+"/"))
		err := conduct.Visit(t.Context(), conduct.Client(tr), "http://"+e.host(2)+"/")
		late, ok := errors.AsType[*polite.DelayError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, polite.CauseQueue, late.Cause)
		assert.Contains(t, late.Why, "MaxQueue")
	})
}

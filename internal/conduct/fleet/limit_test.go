package fleet

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A search is a fleet, or one process, that finds what a site bears.
type search struct {
	site               func() http.Handler
	long               time.Duration
	processes, workers int
}

// pages returns how many pages the site has served, and how many it has refused.
func (s search) pages(t *testing.T) (good, bad int) {
	var served, refused atomic.Int64
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		site := s.site()
		for i := range s.processes {
			c.Web.Page("example.com", fmt.Sprint("/", i), func(w http.ResponseWriter, r *http.Request) {
				answer := &noted{ResponseWriter: w}
				if site.ServeHTTP(answer, r); answer.status >= 400 {
					refused.Add(1)
				} else {
					served.Add(1)
				}
			})
		}
		c.Joins(s.processes)
		c.CrawlAll(s.long, s.workers)
	})
	return int(served.Load()), int(refused.Load())
}

// A noted notes the status of an answer.
type noted struct {
	http.ResponseWriter
	status int
}

func (w *noted) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

var fleetSizes = [][2]int{{8, 4}, {3, 16}}

// manySizes are those of fleets in which the starts of others take long.
var manySizes = [][2]int{{2, 64}, {16, 2}, {50, 1}}

// A fleet finds the limit of a site together. Nobody tells it how many processes it has.
func TestFleetFindsALimit(t *testing.T) {
	t.Parallel()
	const crawl = 10 * time.Minute
	for _, takes := range []time.Duration{0, 50 * time.Millisecond}[:long.Or(1, 2)] {
		for _, rate := range slices.Concat(long.Last(5, 1), long.Or(nil, []int{20})) {
			site := func() http.Handler {
				return origintest.Delay(takes, (&limiter{every: time.Second / time.Duration(rate)}).ServeHTTP)
			}
			allowed := float64(rate * int(crawl/time.Second))
			for _, size := range slices.Concat(long.Last(fleetSizes...), long.Or(nil, slices.Concat([][2]int{{1, 16}}, manySizes))) {
				t.Run(fmt.Sprintf("%d a second, pages take %v, %d×%d", rate, takes, size[0], size[1]), func(t *testing.T) {
					good, bad := search{site, crawl, size[0], size[1]}.pages(t)
					t.Logf("%.1f%% of the limit; %d refused", 100*float64(good)/allowed, bad)
					assert.GreaterOrEqual(t, float64(good), leastShare(size[0])*allowed)
					assert.LessOrEqual(t, float64(bad), 0.015*float64(good+bad)+float64(atFirst(size, takes)))
				})
			}
		}
	}
}

// leastShare is which part of a limit a fleet of so many processes gets at least in ten minutes. The
// more there are, the longer it takes until all know it.
func leastShare(processes int) float64 {
	switch {
	case processes > 16:
		return 0.8
	case processes > 8:
		return 0.84
	case processes > 1:
		return 0.885
	default:
		return 0.9
	}
}

// atFirst is how many pages are refused at once, before anybody knows of a limit. If they take a
// while, each process has two under way.
func atFirst(size [2]int, takes time.Duration) int {
	if takes == 0 {
		return 3
	}
	return 3 + size[0]*min(size[1], 2)
}

// A ban shuts out for a while who sends more than most within a time.
type ban struct {
	status, most  int
	within, lasts time.Duration

	mu     sync.Mutex
	until  time.Time
	recent []time.Time
	bans   int
}

func (b *ban) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if now.Before(b.until) {
		w.WriteHeader(b.status)
		return
	}
	b.recent = slices.DeleteFunc(append(b.recent, now), func(at time.Time) bool { return now.Sub(at) > b.within })
	if len(b.recent) > b.most {
		b.until, b.recent, b.bans = now.Add(b.lasts), nil, b.bans+1
		w.WriteHeader(b.status)
	}
}

// A quota lets so many through in each period, and tells what is left.
type quota struct {
	most   int
	period time.Duration

	mu    sync.Mutex
	used  int
	since time.Time
}

func (q *quota) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if now.Sub(q.since) >= q.period {
		q.since, q.used = now, 0
	}
	left := int(q.since.Add(q.period).Sub(now).Seconds()) + 1
	q.used++
	w.Header().Set("RateLimit-Limit", strconv.Itoa(q.most))
	w.Header().Set("RateLimit-Remaining", strconv.Itoa(max(q.most-q.used, 0)))
	w.Header().Set("RateLimit-Reset", strconv.Itoa(left))
	if q.used > q.most {
		w.Header().Set("Retry-After", strconv.Itoa(left))
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

// A fleet keeps to what it has learned from a ban as one process does. Before a ban there is no gap,
// so none of the processes knows how much all send, and each tells its part.
func TestFleetAtABan(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	const lasts = 10 * time.Minute
	const crawl = 25 * time.Minute             // the speed rises again after it
	possible := 10 * (crawl - lasts).Seconds() // a third of 300 pages in ten seconds
	for _, size := range long.Or(fleetSizes[1:], slices.Concat([][2]int{{1, 16}}, fleetSizes)) {
		t.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(t *testing.T) {
			site := &ban{status: http.StatusForbidden, most: 300, within: 20 * time.Second, lasts: lasts}
			pages := origintest.Delay(30*time.Millisecond, site.ServeHTTP)
			good, bad := search{func() http.Handler { return pages }, crawl, size[0], size[1]}.pages(t)
			t.Logf("%.1f%% of what is possible; %d refused in %d bans", 100*float64(good)/possible, bad, site.bans)
			assert.Equal(t, 1, site.bans)
			assert.GreaterOrEqual(t, float64(good), 0.85*possible)
			assert.LessOrEqual(t, float64(bad), 0.015*float64(good+bad))
		})
	}
}

// A quota is that of the fleet.
func TestFleetAtAQuota(t *testing.T) {
	long.NotShort(t)
	for _, size := range fleetSizes {
		t.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(t *testing.T) {
			site := func() http.Handler { return &quota{most: 600, period: 5 * time.Minute} }
			good, bad := search{site, 20 * time.Minute, size[0], size[1]}.pages(t)
			t.Logf("%d of 2,400 pages; %d refused", good, bad)
			assert.GreaterOrEqual(t, good, 2400*95/100)
			assert.LessOrEqual(t, bad, 2)
		})
	}
}

// A process that joins a fleet, or has heard nothing for a while, learns what the others have
// learned, and not by refusals of its own.
func TestFleetTeachesWhoComesLater(t *testing.T) {
	for name, late := range map[string]func(*conduct.Crew) *conduct.Member{
		"joins":    func(c *conduct.Crew) *conduct.Member { return c.Join() },
		"was away": func(c *conduct.Crew) *conduct.Member { c.Members[1].ComeBack(); return c.Members[1] },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, site := conduct.NewCrew(t), &limiter{every: 200 * time.Millisecond}
				c.Web.Page("example.com", "/0", site.ServeHTTP)
				c.Joins(2)
				c.Members[1].Leave()
				ctx, cancel := context.WithCancel(t.Context())
				c.Members[0].Crawl(ctx, 16, "example.com")
				time.Sleep(2 * time.Minute)
				cancel()
				c.Under.Wait()
				m := late(c)
				require.NoError(t, conduct.Visit(t.Context(), conduct.Client(m.Tr), "http://example.com/other")) // it begins to listen
				time.Sleep(time.Second)
				u, err := url.Parse("http://example.com/other")
				require.NoError(t, err)
				decision, err := m.Tr.Check(t.Context(), u)
				require.NoError(t, err)
				assert.InDelta(t, 0.2, decision.Gap.Seconds(), 0.06)
			})
		})
	}
}

// A fall is a limit of 20 pages a second that is lower for a while.
type fall struct {
	from, lasts time.Duration
	bears       int // pages a second meanwhile
}

const usualRate = 20 // pages a second

// over lets a fleet crawl until some time after the fall. It returns how long after the fall four fifths
// of the usual pages come in ten seconds, and how many come in each minute.
func (f fall) over(t *testing.T, size [2]int, more time.Duration) (again time.Duration, minutes []int) {
	site, began := &limiter{}, time.Time{}
	var recent []time.Time
	again, minutes = more, make([]int, more/time.Minute+1)
	pages := func(w http.ResponseWriter, r *http.Request) {
		site.mu.Lock()
		defer site.mu.Unlock()
		now := time.Now()
		if began.IsZero() {
			began = now
		}
		past := now.Sub(began) - f.from
		bears := usualRate
		if past >= 0 && past < f.lasts {
			bears = f.bears
		}
		site.every = time.Second / time.Duration(max(bears, 1))
		if bears == 0 || !site.allows(now) {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		recent = slices.DeleteFunc(append(recent, now), func(at time.Time) bool { return now.Sub(at) > 10*time.Second })
		if past -= f.lasts; past < 0 {
			return
		}
		if minutes[past/time.Minute]++; len(recent) >= 8*usualRate {
			again = min(again, past)
		}
	}
	search{func() http.Handler { return http.HandlerFunc(pages) }, f.from + f.lasts + more, size[0], size[1]}.pages(t)
	return again, minutes
}

// A fleet of any size is back after a short fall: in the sixth minute, the site sends nine tenths of
// what it bears. The starts of 50 processes cost a little more.
func TestFleetIsBackAfterAShortFall(t *testing.T) {
	t.Parallel()
	falls := []fall{
		{2 * time.Minute, 40 * time.Second, 1},
		{0, 40 * time.Second, 0}, // nothing is known of the site before
		{2 * time.Minute, 40 * time.Second, 0},
		{2 * time.Minute, 20 * time.Second, 1},
		{2 * time.Minute, 90 * time.Second, 1},
		{0, 90 * time.Second, 0},
	}
	for _, f := range falls[:long.Or(3, len(falls))] {
		for _, size := range long.Or([][2]int{{16, 2}}, [][2]int{{1, 16}, {3, 16}, {8, 3}, {16, 2}, {16, 8}, {50, 1}}) {
			t.Run(fmt.Sprintf("%d a second from %v for %v, %d×%d", f.bears, f.from, f.lasts, size[0], size[1]), func(t *testing.T) {
				again, minutes := f.over(t, size, 6*time.Minute)
				t.Logf("%v; pages in each minute: %d", again, minutes)
				assert.Greater(t, float64(minutes[5])/(60*usualRate), shareAfterAFall(size[0]))
			})
		}
	}
}

// shareAfterAFall is which part of a limit a fleet of so many processes gets in the sixth minute after a fall.
func shareAfterAFall(processes int) float64 {
	if processes > 16 {
		return 0.85
	}
	return 0.9
}

// A fleet notices soon that a limit is gone which it has kept to for some minutes: within three minutes and a
// half, or one and a half times as long as one process.
func TestFleetNoticesThatALimitIsLifted(t *testing.T) {
	long.NotShort(t)
	lifted := fall{4 * time.Minute, 4 * time.Minute, 1}
	var one time.Duration
	t.Run("1×16", func(t *testing.T) {
		one, _ = lifted.over(t, [2]int{1, 16}, 7*time.Minute)
		t.Log(one)
	})
	for _, size := range fleetSizes {
		t.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(t *testing.T) {
			took, _ := lifted.over(t, size, 7*time.Minute)
			t.Logf("%v, and %v with one process", took, one)
			assert.LessOrEqual(t, took, max(one*3/2, 210*time.Second))
		})
	}
}

// limiter allows so many pages a second, and a burst of them at once. It answers 429 to others without
// a word of when to come back.
type limiter struct {
	every time.Duration
	burst time.Duration // in pages

	mu   sync.Mutex
	next time.Time // of the next page if there were no burst
}

func (l *limiter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.allows(time.Now()) {
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

// allows reports whether the page of this moment is served. It needs the lock.
func (l *limiter) allows(now time.Time) bool {
	if l.next.Sub(now) > l.burst*l.every {
		return false
	}
	if l.next.Before(now) {
		l.next = now
	}
	l.next = l.next.Add(l.every)
	return true
}

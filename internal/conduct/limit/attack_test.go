package limit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// An attacker is a site that plays with latency, statuses, quotas and Retry-After.
type attacker struct {
	mu     sync.Mutex
	random *rand.Rand
}

func newAttacker(seed uint64) *attacker { return &attacker{random: rand.New(rand.NewPCG(seed, 28))} }

func oneOf[T any](random *rand.Rand, all ...T) T { return all[random.IntN(len(all))] }

// answer plays a move.
func (a *attacker) answer(time.Duration, string) conduct.Reply {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := conduct.Reply{
		Status: oneOf(a.random, 200, 200, 200, 200, 404, 403, 429, 500, 502, 503, 504, 204, 302, 418, 599),
		Takes:  oneOf(a.random, time.Millisecond, time.Millisecond, 20*time.Millisecond, 100*time.Millisecond, time.Second, 30*time.Second),
	}
	for range a.random.IntN(3) {
		r.Header = append(r.Header, a.field()...)
	}
	return r
}

// field is a field of an answer, with a value that promises too much, or too little.
func (a *attacker) field() []string {
	number := func() string {
		return oneOf(a.random, "0", "1", "-1", "10", "1000000", "9223372036854775807", "NaN", strconv.Itoa(a.random.IntN(100)))
	}
	switch {
	case a.random.IntN(3) > 0:
		return oneOf(a.random,
			[]string{"RateLimit", `"a";r=` + number() + `;t=` + number(), "RateLimit-Policy", `"a";q=` + number() + `;w=` + number()},
			[]string{"X-RateLimit-Limit", number(), "X-RateLimit-Remaining", number(), "X-RateLimit-Reset", number()},
			[]string{"RateLimit-Limit", number(), "RateLimit-Remaining", number(), "RateLimit-Reset", number()})
	default:
		return []string{"Retry-After", number()}
	}
}

// After a Retry-After nothing is sent until it is over, whatever else the site says.
func TestMannersRetryAfterIsTheFloor(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusForbidden} {
		promise := []string{"RateLimit", `"a";r=1000000;t=1`, "X-RateLimit-Remaining", "1000000", "X-RateLimit-Reset", "1", "Retry-After", "90"}
		refusing := true
		site := func(now time.Duration, _ string) conduct.Reply {
			if now > time.Second && refusing {
				refusing = false
				return conduct.Reply{Status: status, Header: promise}
			}
			return conduct.Reply{Takes: 500 * time.Millisecond, Header: promise[:6]}
		}
		saw := judgedCrawl{site: site, workers: 16, long: 2 * time.Minute}.run(t)
		var until time.Duration
		for _, a := range saw.arrivals {
			if a.status == status {
				until = a.answered + 90*time.Second
			}
		}
		assert.NotZero(t, until)
		assert.Zero(t, saw.between(until-90*time.Second, until), "%d", status)
		assert.NotZero(t, saw.between(until, until+5*time.Second), "%d", status)
	}
}

// What attackers do at their sites changes nothing at others: the pages of another site come as
// if it were alone.
func TestMannersAttackersDoNotStopOthers(t *testing.T) {
	const attackers, ends = 20, time.Minute
	pages := func(attacked bool) (n int) {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			tr := conduct.NewTransport(t, web)
			t.Cleanup(tr.CloseIdleConnections)
			ctx, end := context.WithCancel(t.Context())
			defer time.AfterFunc(ends, end).Stop()
			defer end()
			var crowd sync.WaitGroup
			for i := range attackers {
				host, site := fmt.Sprintf("attacker%d.example.com", i), newAttacker(uint64(i))
				web.Page(host, "/page", func(w http.ResponseWriter, r *http.Request) { site.answer(0, "").Write(w, r) })
				for range 4 {
					crowd.Go(func() {
						for attacked && ctx.Err() == nil {
							conduct.Read(ctx, conduct.Client(tr), "http://"+host+"/page")
							origintest.Wait(ctx, 100*time.Millisecond)
						}
					})
				}
			}
			web.Page("victim.example.org", "/page", (conduct.Reply{Takes: 100 * time.Millisecond}).Write)
			for range 8 {
				crowd.Go(func() {
					for ctx.Err() == nil && conduct.Read(ctx, conduct.Client(tr), "http://victim.example.org/page") == nil {
					}
				})
			}
			crowd.Wait()
			n = len(web.Log().At("victim.example.org").Pages())
		})
		return n
	}
	alone, among := pages(false), pages(true)
	t.Logf("%d pages, %d alone", among, alone)
	assert.GreaterOrEqual(t, float64(among), 0.99*float64(alone))
}

package benchmarks

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

// A contender is one way to take a turn.
type contender struct {
	name string
	turn func(ctx context.Context, n int64) error

	rate           float64 // the best of all rounds, in turns a second
	server, client float64 // the least processor time of a turn, in µs
}

const rounds = 12

// All take turns on one server, in short rounds that alternate. So what else the machine
// does harms all alike. The best round of each counts.
func BenchmarkSideBySide(b *testing.B) {
	address := startServer(b)
	admin := connect(b, address)
	all := contenders(b, address)
	for b.Loop() {
		for range rounds {
			for _, c := range all {
				c.round(b, admin)
			}
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-34s %9s %10s %10s\n", "", "turns/s", "server µs", "client µs")
	for _, c := range all {
		fmt.Fprintf(&table, "%-34s %9.0f %10.1f %10.1f\n", c.name, c.rate, c.server, c.client)
	}
	b.Log("\n" + table.String())
	b.ReportMetric(all[0].rate/all[1].rate, "×redis_rate")
	b.ReportMetric(all[1].server/all[0].server, "×redis_rate-server")
}

func contenders(b *testing.B, address string) []*contender {
	fleet, direct := open(b, address), connect(b, address)
	pool := redis.NewClient(&redis.Options{Addr: address, PoolSize: workers})
	b.Cleanup(func() { pool.Close() })
	limiter := redis_rate.NewLimiter(pool)
	limit := redis_rate.Limit{Rate: 1000000, Burst: 1000000, Period: time.Second}
	floor, bareScript, bareGo := rueidis.NewLuaScript(floor), rueidis.NewLuaScript(bare), redis.NewScript(bare)
	return []*contender{
		{name: "Take", turn: func(ctx context.Context, n int64) error {
			_, err := fleet.Take(ctx, lane(n), store.Ask{Token: fmt.Sprint(n), Gap: time.Microsecond})
			return err
		}},
		{name: "redis_rate Allow", turn: func(ctx context.Context, n int64) error {
			_, err := limiter.Allow(ctx, lane(n), limit)
			return err
		}},
		{name: "Take with a slot, and Done", turn: func(ctx context.Context, n int64) error { return slotAndDone(ctx, fleet, n) }},
		{name: "only TIME, GET and SET (rueidis)", turn: func(ctx context.Context, n int64) error {
			return floor.Exec(ctx, direct, []string{"floor:" + lane(n)}, []string{"1999999999999999", lane(n), "2QBQ6JZ3VYI2YHJ5ZOB3CK"}).Error()
		}},
		{name: "only INCR (rueidis)", turn: func(ctx context.Context, n int64) error {
			return bareScript.Exec(ctx, direct, []string{"bare:" + lane(n)}, nil).Error()
		}},
		{name: "only INCR (go-redis)", turn: func(ctx context.Context, n int64) error {
			return bareGo.Run(ctx, pool, []string{"bare:" + lane(n)}).Err()
		}},
	}
}

func slotAndDone(ctx context.Context, fleet *redisfleet.Fleet, n int64) error {
	token := fmt.Sprint("slot", n)
	ask := store.Ask{Token: token, Gap: time.Microsecond, Slack: 5 * time.Millisecond, Slots: 100, Lease: 10 * time.Second}
	if _, err := fleet.Take(ctx, "slots "+lane(n), ask); err != nil {
		return err
	}
	return fleet.Done(ctx, "slots "+lane(n), token, false)
}

// floor is the least that a turn must do: it writes as much as a lane has.
const floor = `
local clock = redis.call('TIME')
local lane = redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], clock[1] .. string.sub(lane or string.rep('x', 101), 11, 101) .. ARGV[2], 'KEEPTTL')
return clock[1]`

// round lets many workers take turns for a short while.
func (c *contender) round(b *testing.B, admin rueidis.Client) {
	const turns = 10000
	var n atomic.Int64
	var all sync.WaitGroup
	server, client, began := serverTime(b, admin), ownTime(), time.Now()
	for range workers {
		all.Go(func() {
			for i := n.Add(1); i <= turns; i = n.Add(1) {
				if err := c.turn(context.Background(), i); err != nil {
					b.Error(c.name, err)
					return
				}
			}
		})
	}
	all.Wait()
	c.rate = max(c.rate, turns/time.Since(began).Seconds())
	c.server = least(c.server, (serverTime(b, admin)-server)*1e6/turns)
	c.client = least(c.client, (ownTime()-client)*1e6/turns)
}

// least returns the lesser of two. A zero is not measured yet.
func least(a, b float64) float64 {
	if a == 0 {
		a = math.Inf(1)
	}
	return min(a, b)
}

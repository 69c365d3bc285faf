// Package benchmarks measures a turn of a fleet beside what others offer, on one server.
//
//	go test -bench . -cpu 2
package benchmarks

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

const (
	workers = 64
	lanes   = 1000
)

// startServer starts a redis-server, and returns its address.
func startServer(b *testing.B) string {
	b.Helper()
	port := network.FreePort(b)
	address := "127.0.0.1:" + port
	server := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "")
	if err := server.Start(); err != nil {
		b.Skip("redis-server is not installed")
	}
	b.Cleanup(func() { server.Process.Kill(); server.Wait() })
	for range 500 {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return address
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.Fatal("redis-server does not start")
	return ""
}

// run calls f from many workers. n counts the calls.
func run(b *testing.B, address string, f func(ctx context.Context, n int64) error) {
	b.Helper()
	ctx := context.Background()
	client := connect(b, address)
	var n atomic.Int64
	b.SetParallelism((workers + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
	b.ReportAllocs()
	server, own := serverTime(b, client), ownTime()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := f(ctx, n.Add(1)); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
	b.ReportMetric((serverTime(b, client)-server)*1e6/float64(b.N), "server-µs")
	b.ReportMetric((ownTime()-own)*1e6/float64(b.N), "client-µs")
}

// serverTime returns how much processor time the server has used, in seconds. Unlike the
// rate, it does not depend on what else the machine does.
func serverTime(b *testing.B, client rueidis.Client) (sum float64) {
	info, err := client.Do(b.Context(), client.B().Info().Section("cpu").Build()).ToString()
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(info) {
		for _, name := range []string{"used_cpu_sys:", "used_cpu_user:"} {
			var seconds float64
			if n, _ := fmt.Sscanf(line, name+"%g", &seconds); n == 1 {
				sum += seconds
			}
		}
	}
	return sum
}

func lane(n int64) string { return fmt.Sprint("origin https://www.example", n%lanes, ".org:443") }

// Each turn is reserved in a round trip, and is over soon.
func BenchmarkTake(b *testing.B) {
	address := startServer(b)
	fleet := open(b, address)
	run(b, address, func(ctx context.Context, n int64) error {
		_, err := fleet.Take(ctx, lane(n), store.Ask{Token: fmt.Sprint(n), Gap: time.Microsecond})
		return err
	})
}

// As above, with a slot, which is freed in a second round trip.
func BenchmarkTakeSlotAndDone(b *testing.B) {
	address := startServer(b)
	fleet := open(b, address)
	run(b, address, func(ctx context.Context, n int64) error {
		token := fmt.Sprint(n)
		_, err := fleet.Take(ctx, lane(n), store.Ask{Token: token, Gap: time.Microsecond, Slack: 5 * time.Millisecond, Slots: 100, Lease: 10 * time.Second})
		if err != nil {
			return err
		}
		return fleet.Done(ctx, lane(n), token, false)
	})
}

// A hundred processes have reserved a start in each lane.
func BenchmarkTakeInCrowdedLanes(b *testing.B) {
	address := startServer(b)
	fleet := open(b, address)
	run(b, address, func(ctx context.Context, n int64) error {
		_, err := fleet.Take(ctx, lane(n%10), store.Ask{Token: fmt.Sprint(n % 1000), Gap: time.Second})
		return err
	})
}

func open(b *testing.B, address string) *redisfleet.Fleet { return openAt(b, "redis://"+address) }

func openAt(b *testing.B, url string) *redisfleet.Fleet {
	fleet, err := redisfleet.Open(b.Context(), url, redisfleet.Options{Prefix: "bench"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(fleet.Close)
	return fleet
}

func BenchmarkRedisRateAllow(b *testing.B) {
	address := startServer(b)
	client := redis.NewClient(&redis.Options{Addr: address, PoolSize: workers})
	b.Cleanup(func() { client.Close() })
	limiter := redis_rate.NewLimiter(client)
	limit := redis_rate.Limit{Rate: 1000000, Burst: 1000000, Period: time.Second}
	run(b, address, func(ctx context.Context, n int64) error {
		_, err := limiter.Allow(ctx, lane(n), limit)
		return err
	})
}

const bare = "return redis.call('INCR', KEYS[1])"

func BenchmarkBareEvalshaRueidis(b *testing.B) {
	address := startServer(b)
	client := connect(b, address)
	script := rueidis.NewLuaScript(bare)
	run(b, address, func(ctx context.Context, n int64) error {
		return script.Exec(ctx, client, []string{lane(n)}, nil).Error()
	})
}

func BenchmarkBareEvalshaGoRedis(b *testing.B) {
	address := startServer(b)
	client := redis.NewClient(&redis.Options{Addr: address, PoolSize: workers})
	b.Cleanup(func() { client.Close() })
	script := redis.NewScript(bare)
	run(b, address, func(ctx context.Context, n int64) error {
		return script.Run(ctx, client, []string{lane(n)}).Err()
	})
}

func connect(b *testing.B, address string) rueidis.Client {
	client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{address}, DisableCache: true, ForceSingleClient: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	return client
}

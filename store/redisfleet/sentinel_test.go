package redisfleet_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A guarded primary has a replica, and a sentinel that puts the replica in its place.
type guarded struct {
	primary, replica, sentinel *server
}

func startGuarded(t *testing.T) *guarded {
	g := &guarded{primary: startServer(t, "--repl-diskless-sync-delay", "0")}
	g.replica = startServer(t, "--replicaof", "127.0.0.1 "+g.primary.port)
	eventually(t, "the replica has a copy", func() bool {
		return strings.Contains(g.replica.says("INFO replication"), "master_link_status:up")
	})
	g.sentinel = startSentinel(t, g.primary)
	eventually(t, "the sentinel knows the replica", func() bool {
		reply := do(t, g.sentinel.client(), "SENTINEL REPLICAS crawl")
		replicas, _ := reply.ToArray()
		return len(replicas) == 1
	})
	return g
}

func startSentinel(t *testing.T, primary *server) *server {
	s := &server{TB: t, program: primary.program, port: network.FreePort(t), dir: t.TempDir()}
	conf := filepath.Join(s.dir, "sentinel.conf")
	text := fmt.Sprintf("port %s\nbind 127.0.0.1\ndir %s\nsentinel monitor crawl 127.0.0.1 %s 1\nsentinel down-after-milliseconds crawl 1000\n", s.port, s.dir, primary.port)
	require.NoError(t, os.WriteFile(conf, []byte(text), 0o600))
	s.args = []string{conf, "--sentinel"}
	s.start()
	t.Cleanup(s.kill)
	return s
}

func (g *guarded) url() string { return g.sentinel.url() + "?master_set=crawl" }

// failOver lets the sentinel put the replica in the primary's place, while both live.
func (g *guarded) failOver(t *testing.T) {
	c := g.sentinel.client()
	eventually(t, "the sentinel fails over", func() bool {
		return c.Do(t.Context(), c.B().SentinelFailover().Master("crawl").Build()).Error() == nil
	})
}

// failsOver checks that a fleet pauses for a gap in all lanes and hears again.
func failsOver(t *testing.T, f *redisfleet.Fleet, w *watched) {
	t.Helper()
	require.Error(t, w.ends(t), "what was reserved is not used any more")
	eventually(t, "turns go on", func() bool {
		_, err := f.Take(t.Context(), lane, gapOf("c"))
		return err == nil
	})
	wait := takes(t, f, "unused", gapOf("d")).Wait
	assert.Greater(t, wait, gap/2, "a pause of a gap")
	assert.LessOrEqual(t, wait, gap)
	watchesAgain(t, f)
}

func TestSentinel(t *testing.T) {
	t.Parallel()
	t.Run("the primary dies", func(t *testing.T) {
		g := startGuarded(t)
		f := open(t, g.url(), redisfleet.Options{})
		takes(t, f, lane, gapOf("a"))
		w := watch(t, f)
		w.zero(t)
		g.primary.kill()
		failsOver(t, f, w)
		assert.Positive(t, g.replica.size())
	})
	t.Run("an operator fails over", func(t *testing.T) { // no connection is lost at first
		g := startGuarded(t)
		f := open(t, g.url(), redisfleet.Options{})
		takes(t, f, lane, gapOf("a"))
		w := watch(t, f)
		w.zero(t)
		g.failOver(t)
		failsOver(t, f, w)
	})
	t.Run("an operator fails over, with a client of one's own", func(t *testing.T) {
		g := startGuarded(t)
		option := rueidis.ClientOption{InitAddress: []string{g.sentinel.address()}, Sentinel: rueidis.SentinelOption{MasterSet: "crawl"}}
		c, err := rueidis.NewClient(option)
		require.NoError(t, err)
		t.Cleanup(c.Close)
		f, err := redisfleet.New(t.Context(), c, redisfleet.Options{Prefix: "test"})
		require.NoError(t, err)
		t.Cleanup(f.Close)
		w := watch(t, f)
		w.zero(t)
		g.failOver(t)
		failsOver(t, f, w)
	})
	t.Run("a wrong or no master_set", func(t *testing.T) {
		url := startSentinel(t, startServer(t)).url()
		_, err := redisfleet.Open(t.Context(), url+"?master_set=other", redisfleet.Options{Prefix: "test"})
		require.ErrorContains(t, err, "the sentinels do not know this master_set")
		_, err = redisfleet.Open(t.Context(), url, redisfleet.Options{Prefix: "test"})
		require.ErrorContains(t, err, "is a sentinel: add its master_set to the URL")
	})
	t.Run("no sentinel", func(t *testing.T) {
		_, err := redisfleet.Open(t.Context(), "redis://127.0.0.1:"+network.FreePort(t)+"?master_set=crawl", redisfleet.Options{Prefix: "test"})
		require.ErrorContains(t, err, "could not be reached")
	})
}

// short returns how many pages come sooner than a gap after the one before.
func short(log origintest.Log, gap time.Duration) (n int) {
	for i := 1; i < len(log); i++ {
		if log[i].Time.Sub(log[i-1].Time) < gap {
			n++
		}
	}
	return n
}

// crawls fetches pages of a site until the test ends.
func crawls(t *testing.T, f *redisfleet.Fleet, site *origintest.Server, gap time.Duration) {
	transport := &polite.Transport{
		UserAgent: "examplebot/1.0 (+https://example.org/bot)",
		Pace:      polite.Pace{MinDelay: gap},
		Cache:     &polite.Cache{Store: f, Turns: f},
	}
	var work sync.WaitGroup
	for range 3 {
		work.Go(func() {
			for t.Context().Err() == nil {
				req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+site.Address()+"/page", nil)
				resp, err := transport.RoundTrip(req)
				if err != nil {
					time.Sleep(10 * time.Millisecond)
					continue
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
	t.Cleanup(work.Wait)
}

// A fleet crawls while its primary dies. Each process may have reserved one start of which
// the new primary does not know.
func TestFailoverWhileCrawling(t *testing.T) {
	t.Parallel()
	g := startGuarded(t)
	site := origintest.New(t)
	const gap = 100 * time.Millisecond
	const processes = 3
	for range processes {
		crawls(t, open(t, g.url(), redisfleet.Options{}), site, gap)
	}
	eventually(t, "requests come", func() bool { return len(site.Log().Pages()) > 20 })
	before := short(site.Log().Pages(), gap-5*time.Millisecond)
	g.primary.kill()
	at := len(site.Log().Pages())
	eventually(t, "requests come again", func() bool { return len(site.Log().Pages()) > at+30 })
	if long.Or(false, true) { // on a busy machine, requests arrive later than they were written
		assert.Zero(t, before)
		assert.LessOrEqual(t, short(site.Log().Pages(), gap-5*time.Millisecond), processes)
	}
}

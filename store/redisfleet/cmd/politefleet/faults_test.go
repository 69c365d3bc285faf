package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A drill is a fleet of two processes that crawl a site, while something is wrong.
type drill struct {
	*testing.T
	url    string // of the server
	dir    string // where it keeps its data
	server *exec.Cmd
	admin  rueidis.Client
	proxy  *network.Proxy // between the first process and the server

	mu     sync.Mutex
	events map[store.HealthKind]string // the causes of what Health has told
	calls  map[string]bool             // those that have failed, and the words for why
}

func newDrill(t *testing.T) *drill {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not installed")
	}
	port := network.FreePort(t)
	address := "127.0.0.1:" + port
	d := &drill{T: t, url: "redis://" + address, dir: t.TempDir(), events: make(map[store.HealthKind]string), calls: make(map[string]bool)}
	d.server = exec.Command(program, "--port", port, "--bind", "127.0.0.1", "--save", "3600 1000000", "--dir", d.dir)
	require.NoError(t, d.server.Start())
	t.Cleanup(d.kill)
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, 20*time.Second, 10*time.Millisecond)
	d.admin, d.proxy = connect(t, d.url), network.Start(t, address)
	site := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(site.Close)
	d.crawl("first", d.proxy.URL(), site.URL, time.Second/10)
	d.crawl("second", d.url, site.URL, time.Second/10)
	d.eventually("both hear", func() bool {
		r := d.look()
		return strings.Contains(r.out, "process  2: configured in 1 way, 0 deaf\n")
	})
	return d
}

func (d *drill) kill() {
	d.server.Process.Kill()
	d.server.Wait()
}

// crawl lets a process crawl until the test ends. What happens to the first is noted.
func (d *drill) crawl(name, url, site string, gap time.Duration) {
	fleet, err := redisfleet.Open(d.Context(), url, redisfleet.Options{Prefix: "test", Name: name})
	require.NoError(d, err)
	tr := &polite.Transport{UserAgent: "DemoBot/1.0 (+https://example.org/bot)", Cache: &polite.Cache{Store: fleet}, Pace: polite.Pace{MinDelay: gap, MaxWait: time.Second}}
	if name == "first" {
		tr.Trace.Health = d.happened
		tr.Trace.Called = d.called
	}
	ctx, cancel := context.WithCancel(d.Context())
	var work sync.WaitGroup
	work.Go(func() {
		client := &http.Client{Transport: tr}
		for ctx.Err() == nil {
			req, _ := http.NewRequestWithContext(ctx, "GET", site+"/"+name, nil)
			if resp, err := client.Do(req); err == nil {
				resp.Body.Close()
			} else {
				time.Sleep(20 * time.Millisecond)
			}
		}
	})
	d.Cleanup(func() { cancel(); work.Wait(); fleet.Close() })
}

func (d *drill) happened(e store.HealthEvent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.Err != nil {
		d.events[e.Kind] = e.Err.Error()
	}
}

func (d *drill) called(c store.Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if typed, ok := errors.AsType[interface {
		error
		ErrorType() string
	}](c.Err); ok {
		d.calls[c.Name+" "+typed.ErrorType()] = true
	}
}

// told reports whether Health has told of an event of a kind for a cause, and whether a call has failed with a
// word.
func (d *drill) told(kind store.HealthKind, cause, call string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return (kind == "" || strings.Contains(d.events[kind], cause)) && (call == "" || d.calls[call])
}

func (d *drill) look() result {
	return runCommand(d.Context(), d.url, "--prefix", "test")
}

func (d *drill) do(command string, args ...string) {
	require.NoError(d, d.admin.Do(d.Context(), d.admin.B().Arbitrary(strings.Fields(command)...).Args(args...).Build()).Error())
}

func (d *drill) eventually(what string, is func() bool) {
	d.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(100 * time.Millisecond) {
		if is() {
			return
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Fatalf("%s: %v\n%v\n%v", what, d.look(), d.events, d.calls)
}

// Who operates a fleet learns of each fault what it is: look has a line, Health tells an event with the
// cause, and an alert names it: that of the metric which counts the failed call by the same word.
func TestEachFaultIsNamed(t *testing.T) {
	alerts, err := os.ReadFile("../../../../otelpolite/alerts.yml")
	require.NoError(t, err)
	for _, test := range []struct {
		name  string
		play  func(d *drill)
		line  string // of look, or of its errors
		exits status
		event store.HealthKind
		cause string
		call  string // by which PoliteTurnsFail names it
		alert string
	}{
		{"out of memory", func(d *drill) { d.do("CONFIG SET maxmemory 1") },
			"takes no turns: the server is out of memory: raise its maxmemory", failed, store.HealthTurnsFail, "out of memory", "take memory", "PoliteTurnsFail"},
		{"read-only", func(d *drill) { d.do("REPLICAOF 127.0.0.1 1") },
			"takes no turns: the server is a replica: connect to the primary", failed, store.HealthTurnsFail, "is a replica", "take replica", "PoliteTurnsFail"},
		{"too few replicas", func(d *drill) { d.do("CONFIG SET min-replicas-to-write 1") },
			"takes no turns: the server has fewer replicas than its min-replicas-to-write", failed, store.HealthTurnsFail, "fewer replicas", "take replicas", "PoliteTurnsFail"},
		{"the disk fails", func(d *drill) {
			require.NoError(d, os.RemoveAll(d.dir))
			d.do("BGSAVE")
		}, "takes no turns: the server cannot write to its disk", failed, store.HealthTurnsFail, "cannot write to its disk", "take disk", "PoliteTurnsFail"},
		{"keys are deleted", func(d *drill) { d.do("CONFIG SET maxmemory-policy allkeys-lru") },
			"takes no turns: deletes keys when its memory is full (maxmemory-policy allkeys-lru)", failed, store.HealthTurnsFail, "set it to noeviction", "watch eviction", "PoliteTurnsFail"},
		{"the server is gone", func(d *drill) { d.kill() },
			"could not be reached", failed, store.HealthDeaf, "lost", "watch lost", "PoliteTurnsDeaf"},
		{"all is lost", func(d *drill) { d.do("FLUSHALL") },
			`why="redisfleet: the connection was lost, or the server has lost data"`, succeeded, store.HealthDropped, "has lost data", "watch lost", "PoliteReservationsDropped"},
		{"a process is deaf", func(d *drill) { d.proxy.Set(func(does *network.Does) { does.Deaf = true }) },
			`      deaf="redisfleet: the server tells no news any more" `, succeeded, store.HealthDeaf, "tells no news", "watch silent", "PoliteTurnsDeaf"},
		{"a process is deaf: it is counted", func(d *drill) { d.proxy.Set(func(does *network.Does) { does.Deaf = true }) },
			"process  2: configured in 1 way, 1 deaf\n", succeeded, store.HealthDeaf, "tells no news", "watch silent", "PoliteTurnsDeaf"},
		{"a process is cut off", func(d *drill) { d.proxy.Set(func(does *network.Does) { does.Severs = true }) },
			"  first  (silent for 1", succeeded, store.HealthDeaf, "", "", "PoliteTurnsDeaf"},
		{"calls are slow", func(d *drill) { d.proxy.Set(func(does *network.Does) { does.Delay = time.Second }) },
			" slack=1.5", succeeded, store.HealthSlow, "a call of Turns took 1", "", "PoliteTurnsSlow"},
		{"another layout", func(d *drill) { d.do("HSET test:{breaks}:generation layout 99") },
			`turns_fail="`, failed, store.HealthTurnsFail, "layout 99", "take layout", "PoliteTurnsFail"},
		{"nobody may publish", func(d *drill) { d.do("ACL SETUSER default -publish") },
			"process  2: configured in 1 way, 2 deaf\n", succeeded, store.HealthDeaf, "", "", "PoliteTurnsDeaf"},
		{"a process is configured differently", func(d *drill) { d.crawl("third", d.url, "http://127.0.0.1:1", time.Second) },
			"configured in 2 ways, 0 deaf\n", succeeded, "", "", "", "PoliteTurnsDiffer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDrill(t)
			test.play(d)
			d.eventually(fmt.Sprintf("politefleet tells %q", test.line), func() bool {
				r := d.look()
				return strings.Contains(r.out+r.err, test.line) && r.status == test.exits
			})
			d.eventually(fmt.Sprintf("an event %q for %q, and a call %q", test.event, test.cause, test.call), func() bool { return d.told(test.event, test.cause, test.call) })
			assert.Contains(t, string(alerts), "alert: "+test.alert+"\n")
		})
	}
}

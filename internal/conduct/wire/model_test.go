package wire

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
)

var modelSeeds = flag.Uint64("seeds", 0, "of TestLaneModel; 0 is the usual number")

// Random requests of a few Transports to one lane, whose site is busy, slow, or changes its rules
// while they wait for their turns, connect, or are under way. An oracle that knows nothing of
// how turns are taken reads the log of the site, and what the callers got. To try more, or one
// again, with all that happens (at one moment, in another order each time):
//
//	go test ./internal/conduct/wire -run '^TestLaneModel$' -seeds 1000000
//	POLITE_LONG=1 POLITE_SEED=17 go test ./internal/conduct/wire -run '^TestLaneModel$' -seeds 1 -v
func TestLaneModel(t *testing.T) {
	t.Parallel()
	seeds := *modelSeeds
	if seeds == 0 {
		seeds = long.Or[uint64](50, 1000)
	}
	const shown = 1000
	first := long.Seed(t)
	failed, kinds, arrivals := 0, make(map[string]int), 0
	for i := range seeds {
		seed := first + i
		violations, arrived := tryLane(t, seed)
		arrivals += arrived
		if len(violations) == 0 {
			continue
		}
		if failed++; failed <= shown {
			t.Errorf("seed %d: %s", seed, strings.Join(violations, "\n\t"))
		}
		of := make(map[string]bool)
		for _, v := range violations {
			kind, _, _ := strings.Cut(v, ":")
			of[kind] = true
		}
		for kind := range of {
			kinds[kind]++
		}
	}
	t.Logf("%d arrivals in %d seeds", arrivals, seeds)
	if failed > 0 {
		t.Errorf("%d of %d seeds fail: %v", failed, seeds, kinds)
	}
}

// tryLane plays the scenario of a seed. It returns what was wrong.
func tryLane(t *testing.T, seed uint64) (violations []string, arrived int) {
	defer func() {
		if p := recover(); p != nil {
			panic(fmt.Sprintf("-seed %d: %v", seed, p))
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		run := newLane(seed).play(t)
		violations, arrived = run.judge(), len(run.pages)
		if *modelSeeds == 1 {
			t.Log("\n", run)
		}
	})
	sort.Strings(violations)
	return violations, arrived
}

// A lane is a scenario.
type lane struct {
	stored     bool
	transports []laneTransport
	requests   []laneRequest
	rules      []laneRules // the first holds from the beginning
	checks     []time.Duration
	breaks     []laneBreak // that begin elsewhere, if it is stored
}

type laneTransport struct {
	gap, maxWait time.Duration
	slots, conns int
	dials        time.Duration // at most
	kept, http2  bool
}

type laneRequest struct {
	by     int // which Transport
	start  time.Duration
	path   string
	post   bool
	again  bool          // its body can be read again
	cancel time.Duration // after its start; 0: never
	expire time.Duration // its deadline, after its start; 0: none
	holds  time.Duration // until it closes the body
	reads  bool          // to the end

	takes      time.Duration // until the site answers
	status     int           // 0: it closes the connection
	retryAfter int
}

type laneRules struct {
	from     time.Duration
	disallow string
	delay    int
	takes    time.Duration
	fails    bool
}

type laneBreak struct{ at, long time.Duration }

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func upTo(r *rand.Rand, d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(r.Int64N(int64(d))).Round(time.Millisecond)
}

func newLane(seed uint64) *lane {
	r := rand.New(rand.NewPCG(seed, 26))
	l := &lane{stored: r.IntN(3) == 0}
	for range 1 + r.IntN(3) {
		l.transports = append(l.transports, newLaneTransport(r))
	}
	l.rules = []laneRules{{disallow: "/none", delay: pick(r, 0, 0, 0, 1, 3), takes: upTo(r, 300*time.Millisecond)}}
	for range r.IntN(3) {
		l.rules = append(l.rules, laneRules{
			from:     300*time.Duration(r.IntN(3))*time.Second + upTo(r, 200*time.Second),
			disallow: pick(r, "/none", "/p/", "/p/1", "/p/2"), delay: pick(r, 0, 0, 1, 5),
			takes: upTo(r, 500*time.Millisecond), fails: r.IntN(4) == 0,
		})
	}
	sort.Slice(l.rules, func(i, j int) bool { return l.rules[i].from < l.rules[j].from })
	var clumps []time.Duration
	for range 1 + r.IntN(4) {
		due := time.Duration(1+r.IntN(3))*300*time.Second - upTo(r, 45*time.Second)
		clumps = append(clumps, pick(r, upTo(r, 800*time.Second), due))
	}
	clumped := pick(r, time.Second, 3*time.Second, 30*time.Second)
	busy := pick(r, 2, 5, 20)
	for range 5 + r.IntN(36) {
		l.requests = append(l.requests, newLaneRequest(r, len(l.transports), pick(r, clumps...)+upTo(r, clumped), busy))
	}
	for _, clump := range clumps {
		l.checks = append(l.checks, clump+upTo(r, 5*time.Second))
	}
	if l.stored && r.IntN(2) == 0 {
		l.breaks = append(l.breaks, laneBreak{pick(r, clumps...) + upTo(r, 5*time.Second), time.Second + upTo(r, time.Minute)})
	}
	return l
}

func newLaneTransport(r *rand.Rand) laneTransport {
	tr := laneTransport{
		gap:     pick(r, 0, 0, 0, 500*time.Millisecond, time.Second, 5*time.Second),
		maxWait: pick(r, 0, 0, 0, 8*time.Second, 40*time.Second),
		slots:   pick(r, 0, 0, 1, 2, 3),
		conns:   pick(r, 0, 0, 0, 1, 2),
		dials:   pick(r, 0, 300*time.Millisecond, 3*time.Second, 3*time.Second, time.Minute),
		kept:    r.IntN(4) > 0,
		http2:   r.IntN(8) == 0,
	}
	if tr.http2 {
		tr.conns, tr.kept = 0, true
	}
	return tr
}

func newLaneRequest(r *rand.Rand, transports int, start time.Duration, busy int) laneRequest {
	q := laneRequest{
		by: r.IntN(transports), start: start, path: fmt.Sprint("/p/", r.IntN(4)), post: r.IntN(3) == 0, again: r.IntN(2) == 0,
		reads: r.IntN(4) > 0, takes: upTo(r, pick(r, 0, time.Second, 3*time.Second, 30*time.Second)), status: 200,
	}
	switch r.IntN(12) {
	case 0:
		q.cancel = time.Millisecond + upTo(r, 20*time.Second)
	case 1:
		q.expire = time.Millisecond + upTo(r, 60*time.Second)
	case 2:
		q.holds = upTo(r, 10*time.Second)
	}
	switch n := r.IntN(100); {
	case n < busy:
		q.status, q.retryAfter = pick(r, 429, 503), 1+r.IntN(pick(r, 5, 60, 120))
	case n < busy+2:
		q.status = pick(r, 429, 503, 500)
	case n < busy+4:
		q.status = 0
	}
	return q
}

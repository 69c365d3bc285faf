package judge_test

import (
	"flag"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	length = flag.Duration("for", 0, "how long TestFleet takes; 0 is a short test, without the worst faults")
	bounds = flag.Bool("bounds", false, "whether to fail if the fleet is slow")
	plain  = flag.Bool("plain", false, "whether the crawlers turn Backoff off")
	only   = flag.String("fault", "", "let only this fault happen, or none")
)

// TestMain makes the test binary the crawler, if it is asked to.
func TestMain(m *testing.M) {
	if os.Getenv(asCrawler) != "" {
		live(os.Args[1])
		return
	}
	os.Exit(m.Run())
}

// How long the parts of a short test take, and some seconds more.
const (
	shortTest  = 20 * time.Second
	shortClock = 10 * time.Second
)

// No site can tell the fleet from one client: see the package's documentation. Processes are real
// here, and the time is, too: TestJudge shows what the judge notices.
func TestFleet(t *testing.T) {
	long.Only(t)
	seed := long.Seed(t)
	self, err := os.Executable()
	require.NoError(t, err)
	w := world{binary: self, processes: 8, lanes: all(), seed: seed}
	t.Run("server", func(t *testing.T) {
		if *only == "" || *only == "none" || len(chosen(faults)) > 0 {
			crawl(t, w, chosen(faults), max(*length, shortTest))
		}
	})
	w.double = true
	t.Run("clock", func(t *testing.T) {
		if *only == "" || len(chosen(stepsOfClock)) > 0 {
			crawl(t, w, chosen(stepsOfClock), max(*length/5, shortClock))
		}
	})
}

// chosen returns the faults that the flags ask for.
func chosen(faults []*fault) (chosen []*fault) {
	for _, one := range faults {
		if one.name == *only || *only == "" && (*length > 0 || one.quiet) {
			chosen = append(chosen, one)
		}
	}
	return chosen
}

// crawl lets a fleet suffer faults for some time, and judges it.
func crawl(t *testing.T, w world, faults []*fault, length time.Duration) {
	f := startFleet(t, w)
	clock := watchClock()
	end := time.Now().Add(length)
	time.Sleep(settles)
	f.eachAlone(faults, end)
	if len(faults) > 0 {
		f.mixed(faults, end)
	}
	time.Sleep(max(time.Until(end), 0) + settles)
	f.stop()
	if clock() {
		t.Skip("this machine's clock was set: nothing can be judged")
	}
	a := f.account()
	v, m := a.judge(), f.measure(a)
	t.Log("\n" + f.report(a, v, m))
	assert.Empty(t, v.violations)
	for _, p := range f.lives {
		for _, failure := range p.failed[:min(3, len(p.failed))] {
			t.Logf("process %d: %s", p.Life, failure)
		}
	}
	assert.Positive(t, v.gaps)
	if *bounds {
		assert.Empty(t, m.slow())
	}
}

// eachAlone lets each fault happen by itself.
func (f *fleet) eachAlone(faults []*fault, end time.Time) {
	for _, i := range f.random.Perm(len(faults)) {
		if time.Now().After(end) {
			return
		}
		f.suffer(faults[i])
		f.sleep(settles, settles+2*time.Second)
	}
}

// mixed lets faults happen at any time.
func (f *fleet) mixed(faults []*fault, end time.Time) {
	var under sync.WaitGroup
	defer under.Wait()
	for time.Now().Before(end) {
		one := faults[f.between(0, time.Duration(len(faults)-1))]
		if f.between(0, 2) == 0 {
			under.Go(func() { f.suffer(one) })
			f.sleep(0, 2*time.Second)
			continue
		}
		f.suffer(one)
		f.sleep(0, 4*time.Second)
	}
}

// watchClock returns a function that reports whether the time of day was set since, and not
// only slewed.
func watchClock() func() bool {
	began := time.Now()
	return func() bool {
		now := time.Now()
		passed := now.Sub(began)
		return (time.Duration(now.UnixNano()-began.UnixNano()) - passed).Abs() > passed/1000+tolerance
	}
}

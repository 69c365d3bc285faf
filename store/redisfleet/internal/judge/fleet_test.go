package judge_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet/internal/network"
)

// A world is what a fleet lives in.
type world struct {
	binary    string // the crawler
	processes int
	absent    int // of these, the last ones, at first
	lanes     []lane
	double    bool // the engine is a double, whose clock can be set
	seed      uint64
}

// A fleet is some processes that crawl one site and share one engine. A process has a place.
// If it is killed, another takes its place.
type fleet struct {
	testing.TB
	world
	site    *site
	engine  *engine
	proxies []*network.Proxy // by place

	mu      sync.Mutex
	random  *rand.Rand
	current []*process // by place
	lives   []*process
	taken   []bool // places that a fault is busy with
	events  []event
	faults  []happened
}

// A fault is what goes wrong. do begins it, waits, and ends it.
type fault struct {
	name  string
	away  bool // meanwhile some processes get no answer from the engine
	own   bool // it happens to the engine itself
	quiet bool // it is of a short test
	do    func(*fleet)
}

// A happened is a fault that was.
type happened struct {
	*fault
	span
}

func startFleet(t testing.TB, w world) *fleet {
	f := &fleet{TB: t, world: w, random: rand.New(rand.NewPCG(w.seed, 2))}
	if w.double {
		f.engine = startDouble(t)
	} else {
		f.engine = startEngine(t)
	}
	f.site = startSite(t, w.seed, w.lanes)
	f.current, f.taken = make([]*process, w.processes), make([]bool, w.processes)
	for place := range w.processes {
		f.proxies = append(f.proxies, network.Start(t, f.engine.address()))
		if place < w.processes-w.absent {
			f.join(place)
		}
	}
	t.Cleanup(f.stop)
	return f
}

// join starts a process at a place.
func (f *fleet) join(place int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := start(f, f.binary, f.site, order{
		Life: len(f.lives), Place: place, Began: f.site.began, Site: f.site.listener.Addr().String(), Engine: f.proxies[place].URL(), Lanes: f.lanes, Plain: *plain,
	})
	f.lives, f.current[place] = append(f.lives, p), p
}

// stop ends all processes.
func (f *fleet) stop() {
	var ends sync.WaitGroup
	for _, p := range f.current {
		if p != nil {
			ends.Go(p.end)
		}
	}
	ends.Wait()
	f.current = nil
}

// place chooses a place that no other fault is busy with. It is free again after release.
func (f *fleet) place() (place int, release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, place = range f.random.Perm(f.processes) {
		if !f.taken[place] {
			break
		}
	}
	return f.claim(place)
}

// claim makes a fault busy with a place.
func (f *fleet) claim(place int) (int, func()) {
	f.taken[place] = true
	return place, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.taken[place] = false
	}
}

func (f *fleet) process(place int) *process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current[place]
}

// between returns a time from shortest to longest, at random.
func (f *fleet) between(shortest, longest time.Duration) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return shortest + time.Duration(f.random.Int64N(int64(longest-shortest)+1))
}

// sleep waits for a time from shortest to longest.
func (f *fleet) sleep(shortest, longest time.Duration) { time.Sleep(f.between(shortest, longest)) }

// happens notes what happens to the engine while do runs.
func (f *fleet) happens(kind kind, do func()) {
	f.mu.Lock()
	at := len(f.events)
	f.events = append(f.events, event{span{from: f.site.now()}, kind})
	f.mu.Unlock()
	do()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events[at].to = f.site.now()
}

// suffer lets a fault happen.
func (f *fleet) suffer(one *fault) {
	if one.own {
		f.engine.busy.Lock()
		defer f.engine.busy.Unlock()
	}
	from := f.site.now()
	if one.away {
		f.happens(away, func() { one.do(f) })
	} else {
		one.do(f)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, happened{one, span{from, f.site.now()}})
}

// set changes what some proxies do, for a time.
func (f *fleet) set(proxies []*network.Proxy, length time.Duration, change func(*network.Does)) {
	for _, p := range proxies {
		p.Set(change)
	}
	time.Sleep(length)
	for _, p := range proxies {
		p.Heal()
	}
}

// account returns what is to be judged.
func (f *fleet) account() *account {
	a := &account{lanes: f.site.lanes, visits: f.site.log(), events: f.events}
	for _, p := range f.lives {
		a.lives = append(a.lives, p.account())
	}
	return a
}

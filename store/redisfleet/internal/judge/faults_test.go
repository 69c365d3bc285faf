package judge_test

import (
	"context"
	"time"

	"github.com/go-polite/polite/store/redisfleet/internal/network"
)

// faults are those of a fleet with redis-server.
var faults = []*fault{
	{name: "killed", quiet: true, do: func(f *fleet) {
		place, release := f.place()
		defer release()
		f.process(place).kill()
		f.sleep(0, time.Second)
		f.join(place)
		f.sleep(time.Second, 2*time.Second)
	}},
	{name: "paused", quiet: true, do: func(f *fleet) { f.pause(f.between(50*ms, 3*time.Second)) }},
	{name: "paused beyond the lease", do: func(f *fleet) { f.pause(f.between(slotLease, slotLease+5*time.Second)) }},
	{name: "latency 20ms", do: func(f *fleet) { f.delay(20 * ms) }},
	{name: "latency 200ms", quiet: true, do: func(f *fleet) { f.delay(200 * ms) }},
	{name: "latency 1s", do: func(f *fleet) { f.delay(time.Second) }},
	{name: "one is far", quiet: true, do: func(f *fleet) {
		place, release := f.place()
		defer release()
		f.set(f.proxies[place:place+1], f.between(3*time.Second, 8*time.Second), func(d *network.Does) { d.Delay = 200 * ms })
	}},
	{name: "engine stopped", away: true, own: true, do: func(f *fleet) {
		f.engine.stop()
		time.Sleep(10 * time.Second)
		f.engine.resume()
	}},
	{name: "engine killed", away: true, own: true, do: func(f *fleet) {
		f.happens(dies, func() {
			f.engine.kill()
			f.sleep(0, time.Second)
			f.engine.start()
		})
	}},
	{name: "flushed", own: true, quiet: true, do: func(f *fleet) { f.happens(forgets, func() { f.engine.do("FLUSHALL") }) }},
	{name: "replies lost", away: true, do: func(f *fleet) {
		place, release := f.place()
		defer release()
		f.set(f.proxies[place:place+1], f.between(time.Second, 6*time.Second), func(d *network.Does) { d.Dumb = true })
	}},
	{name: "replies lost once", away: true, quiet: true, do: func(f *fleet) {
		place, release := f.place()
		defer release()
		f.set(f.proxies[place:place+1], f.between(10*ms, 100*ms), func(d *network.Does) { d.Dumb = true })
	}},
	{name: "commands come twice", quiet: true, do: func(f *fleet) {
		f.set(f.proxies, f.between(3*time.Second, 8*time.Second), func(d *network.Does) { d.Twice = true })
	}},
	{name: "subscriptions cut", quiet: true, do: func(f *fleet) {
		for _, p := range f.proxies {
			p.Cut(true)
		}
	}},
	{name: "subscriptions half open", do: func(f *fleet) {
		f.set(f.proxies, f.between(3*time.Second, 8*time.Second), func(d *network.Does) { d.Deaf = true })
	}},
	{name: "joins in a break", quiet: true, do: joinInBreak},
	{name: "out of memory", away: true, own: true, do: func(f *fleet) {
		f.engine.do("CONFIG", "SET", "maxmemory", "1")
		f.sleep(time.Second, 4*time.Second)
		f.engine.do("CONFIG", "SET", "maxmemory", "0")
	}},
	{name: "claim holder stopped", do: stopHolder},
	{name: "cut off", away: true, do: func(f *fleet) {
		place, release := f.place()
		defer release()
		f.cutOff(place, f.between(slotLease, slotLease+5*time.Second))
	}},
}

// stepsOfClock are the faults of a fleet with a double.
var stepsOfClock = []*fault{
	{name: "clock +60s", quiet: true, do: func(f *fleet) { f.step(time.Minute) }},
	{name: "clock -60s", quiet: true, do: func(f *fleet) {
		f.step(-time.Minute)
		time.Sleep(4 * time.Second)
		f.step(time.Minute)
	}},
	{name: "clock +2h", quiet: true, do: func(f *fleet) { f.step(2 * time.Hour) }},
	{name: "clock -2h", quiet: true, do: func(f *fleet) { f.step(-2 * time.Hour) }},
}

func (f *fleet) step(by time.Duration) {
	f.happens(steps, func() { f.engine.step(by) })
}

func (f *fleet) pause(length time.Duration) {
	place, release := f.place()
	defer release()
	p := f.process(place)
	p.stop()
	time.Sleep(length)
	p.resume()
}

// cutOff cuts a process off from the engine, once it reads a body that does not end.
func (f *fleet) cutOff(place int, length time.Duration) {
	p := f.process(place)
	f.site.setStill(p.Life, true)
	defer f.site.setStill(p.Life, false)
	for range 300 {
		if f.site.isUnder(p.Life) {
			break
		}
		time.Sleep(10 * ms)
	}
	f.set(f.proxies[place:place+1], length, func(d *network.Does) { d.Severs = true })
}

func (f *fleet) delay(latency time.Duration) {
	f.set(f.proxies, f.between(4*time.Second, 8*time.Second), func(d *network.Does) { d.Delay = latency })
}

// joinInBreak lets a process join just after another was asked for a break.
func joinInBreak(f *fleet) {
	place, release := f.place()
	defer release()
	f.process(place).kill()
	for _, host := range []string{"free.test", "tired.test"} {
		if f.site.lanes[host] == nil {
			continue
		}
		began := f.site.now()
		f.site.breakNext(host, 4*time.Second)
		for range 500 {
			if f.site.last(host, began) > 0 {
				break
			}
			time.Sleep(10 * ms)
		}
	}
	f.join(place)
	time.Sleep(4 * time.Second)
}

// stopHolder stops a process while it asks for robots.txt, for longer than its claim lasts.
func stopHolder(f *fleet) {
	ctx, cancel := context.WithTimeout(f.Context(), 3*newEvery)
	defer cancel()
	life, spring, ok := f.site.setTrap(ctx)
	defer spring()
	if !ok {
		return
	}
	p := f.life(life)
	f.mu.Lock()
	taken := f.taken[p.Place]
	_, release := f.claim(p.Place)
	f.mu.Unlock()
	if taken { // by another fault, which may have killed it
		return
	}
	defer release()
	p.stop()
	spring()
	time.Sleep(claimFor + time.Second)
	p.resume()
}

func (f *fleet) life(n int) *process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lives[n]
}

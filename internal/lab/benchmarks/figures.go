package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

// figures prints what ./against compares, a line for each figure: its name, a tab, and nanoseconds. A figure
// with several lines is the greatest of them, each of which has a name of its own after a slash. The first figure
// is a control, which no change of this repository makes faster or slower.
func figures(in *input) {
	tell("temoto, read all files (control)", leastOfEach(3, in, parseTemoto))
	tell("read all files", leastOfEach(20, in, parsePolite))
	tell("lint all files", leastOfEach(3, in, func(body []byte) any { return lint.Lint(body) }))
	files, queries := parsed(in, parsePolite), in.queries[:min(len(in.queries), 10_000)]
	hot, cold := again(files, queries, matchPolite), inTurn(files, queries, matchPolite)
	tell("match again and again, p50", quantile(hot, 0.5))
	tell("match again and again, p99", quantile(hot, 0.99))
	tell("match in random order, p50", quantile(cold, 0.5))
	tell("match in random order, p99", quantile(cold, 0.99))
	long(in)
	worst()
	requests(in)
}

func tell(name string, nanoseconds float64) { fmt.Printf("%s\t%.2f\n", name, nanoseconds) }

// leastOfEach returns the nanoseconds that it takes to read all files: the sum of the least of n times for each.
// So it is the same on a busy machine, where no time for all of them is undisturbed.
func leastOfEach(n int, in *input, read func([]byte) any) (sum float64) {
	least := make([]float64, len(in.bodies))
	for round := range n {
		for i, body := range in.bodies {
			start := time.Now()
			read(body)
			if took := float64(time.Since(start)) - clock; round == 0 || took < least[i] {
				least[i] = took
			}
		}
	}
	for _, took := range least {
		sum += took
	}
	return sum
}

// leastOf returns the nanoseconds of the shortest of n calls.
func leastOf(n int, f func()) (least float64) {
	for i := range n {
		runtime.GC()
		start := time.Now()
		f()
		if took := float64(time.Since(start)); i == 0 || took < least {
			least = took
		}
	}
	return least
}

// long tells how long the first query about a group of 300 rules or more takes, for each of its rules.
func long(in *input) {
	total, rules := 0.0, 0
	for _, body := range in.bodies {
		if strings.Count(strings.ToLower(string(body)), "allow:") < 300 {
			continue
		}
		n := 0
		for range robots.Parse(body).Rules(agent).All() {
			n++
		}
		if n < 300 {
			continue
		}
		_, first := fresh(body, "/some/page?id=1")
		total, rules = total+first, rules+n
	}
	tell("first query of a long group, a rule", total/float64(rules))
}

// worst tells how long queries about files take that are made to be slow.
func worst() {
	for _, f := range hostileFiles() {
		_, first := fresh(f.body, f.paths[0])
		file := robots.Parse(f.body)
		name := "/" + strings.ReplaceAll(f.name, "/", " ")
		tell("worst first query, 2 KB"+name, first)
		tell("worst query, 2 KB"+name, timed(func() { file.Allowed("ExampleBot", f.paths[0]) }))
		tell("worst query, 64 KB"+name, timed(func() { file.Allowed("ExampleBot", f.paths[1]) }))
	}
}

// requests tells how long requests take whose origin is known: alone, at one origin and at many, and beside
// more than may be under way at one origin.
func requests(in *input) {
	const n, many = 50_000, 1000
	one := newWeb(in, 1)
	t := one.polite()
	one.drive(t, request(), 8, many) // so that it knows them
	alone := leastOf(5, func() { one.drive(t, request(), 1, n) })
	tell("request alone", alone/n)
	one.yields = true
	tell("request that waits, 8 goroutines", leastOf(5, func() { one.drive(t, request(), 8, n) })/n)
	tell("request that waits, allocations", allocations(func() { one.drive(t, request(), 8, n) })/n)

	w := newWeb(in, many)
	t, req := w.polite(), request()
	w.drive(t, req, 1, 2*many)
	took := make([]float64, n)
	for i := range took {
		start := time.Now()
		w.send(t, req, w.hosts[i%many])
		took[i] = float64(time.Since(start)) - clock
	}
	slices.Sort(took)
	tell("request alone, 1,000 origins, p50", quantile(took, 0.5))
	tell("request alone, 1,000 origins, p99", quantile(took, 0.99))
}

func allocations(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs)
}

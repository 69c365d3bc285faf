package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/robots"
)

// parse measures how fast files are read, the best of ten turns that each takes,
// and with how many allocations.
func parse(table io.Writer, in *input) {
	parsers := []func([]byte) any{parsePolite, parseTemoto, parseFloor}
	best := make([]float64, len(parsers))
	for round := range 10 {
		for i, parse := range parsers {
			runtime.GC()
			start := time.Now()
			for _, body := range in.bodies {
				parse(body)
			}
			if took := float64(time.Since(start)); round == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	var speeds, allocs []string
	for i, parse := range parsers {
		speeds = append(speeds, fmt.Sprintf("%.0f MB/s", float64(in.size())/1e6/(best[i]/1e9)))
		var counts []float64
		for _, body := range in.bodies {
			counts = append(counts, testing.AllocsPerRun(1, func() { parse(body) }))
		}
		slices.Sort(counts)
		allocs = append(allocs, fmt.Sprintf("%.0f, %.0f", quantile(counts, 0.5), quantile(counts, 0.99)))
	}
	row(table, "parse", speeds...)
	row(table, "allocations, p50, p99", allocs...)
}

// match measures the time for a query, and whether it allocates: again and again,
// and in random order, as with a crawler of many sites, where what a query needs
// is not in the processor's cache because of the one before.
func match(table io.Writer, in *input) {
	queries := in.queries[:min(len(in.queries), 20_000)]
	var hot50s, hot99s, p50s, p99s, allocs []string
	for _, peer := range []struct {
		parse func([]byte) any
		match matcher
	}{{parsePolite, matchPolite}, {parseTemoto, matchTemoto}} {
		files := parsed(in, peer.parse)
		times := make([]float64, len(queries))
		for i, q := range queries {
			times[i] = timed(func() { peer.match(files[q.file], q) })
		}
		slices.Sort(times)
		hot50s = append(hot50s, nanoseconds(quantile(times, 0.5)))
		hot99s = append(hot99s, nanoseconds(quantile(times, 0.99)))
		times = make([]float64, len(queries))
		for round := range 5 {
			for i, q := range queries {
				start := time.Now()
				peer.match(files[q.file], q)
				took := float64(time.Since(start)) - clock
				if round == 0 || took < times[i] {
					times[i] = took
				}
			}
		}
		slices.Sort(times)
		p50s = append(p50s, nanoseconds(quantile(times, 0.5)))
		p99s = append(p99s, nanoseconds(quantile(times, 0.99)))
		total := testing.AllocsPerRun(1, func() {
			for _, q := range queries {
				peer.match(files[q.file], q)
			}
		})
		allocs = append(allocs, fmt.Sprintf("%.2f", total/float64(len(queries))))
	}
	row(table, "match again and again, p50", hot50s...)
	row(table, "p99", hot99s...)
	row(table, "match in random order, p50", p50s...)
	row(table, "p99", p99s...)
	row(table, "allocations, mean", allocs...)
}

// clock is the nanoseconds that measuring takes by itself.
var clock = func() float64 {
	var times []float64
	for range 10_000 {
		start := time.Now()
		times = append(times, float64(time.Since(start)))
	}
	slices.Sort(times)
	return quantile(times, 0.5)
}()

// retained measures the memory that parsed files keep, the source not included.
func retained(table io.Writer, in *input) {
	var cells []string
	for _, parse := range []func([]byte) any{parsePolite, parseTemoto} {
		before := heap()
		files := parsed(in, parse)
		cells = append(cells, fmt.Sprintf("%.2f", float64(heap()-before)/float64(in.size())))
		runtime.KeepAlive(files)
	}
	row(table, "retained ÷ source", cells...)
}

// hostile measures files made to be slow.
func hostile(table io.Writer) {
	paths := []string{"/" + strings.Repeat("a", 2<<10), "/" + strings.Repeat("a", 64<<10)}
	for _, pattern := range []struct {
		name string
		of   func(i int) string
	}{
		{"/*a*a*a*a*b", func(int) string { return "/*a*a*a*a*b" }},
		{"/*a*a*a*a*b…, all different", func(i int) string { return fmt.Sprintf("/*a*a*a*a*b%d", i) }},
		{"/*a*a*a*a*a*a*a*a*b$", func(int) string { return "/" + strings.Repeat("*a", 8) + "*b$" }},
		{"/*a… (1000), *b", func(int) string { return "/" + strings.Repeat("*a", 1000) + "*b" }},
		{"/*a… (1000 and more), *b", func(i int) string { return "/" + strings.Repeat("*a", 1000+i) + "*b" }},
		{"/a{40}b", func(int) string { return "/" + strings.Repeat("a", 40) + "b" }},
		{"/a{i}b", func(i int) string { return "/" + strings.Repeat("a", i) + "b" }},
		{"/*a{i}b", func(i int) string { return "/*" + strings.Repeat("a", i) + "b" }},
	} {
		body := repeated(pattern.of)
		start := heap()
		file := robots.Parse(body)
		memory := float64(heap()-start) / float64(len(body))
		compile := timed(func() { robots.Parse(body) })
		cells := []string{nanoseconds(compile), fmt.Sprintf("%.2f", memory)}
		for _, path := range paths {
			cells = append(cells, nanoseconds(timed(func() { file.Allowed("ExampleBot", path) })))
		}
		peer := parseTemoto(body)
		begin := time.Now() // once is enough
		matchTemoto(peer, query{agent: "ExampleBot", path: paths[0]})
		row(table, pattern.name, append(cells, nanoseconds(float64(time.Since(begin))))...)
		runtime.KeepAlive(body)
	}
}

// repeated returns a file of as many rules as count.
func repeated(pattern func(i int) string) []byte {
	body := []byte("user-agent: *\n")
	for i := 0; ; i++ {
		rule := "disallow: " + pattern(i) + "\n"
		if len(body)+len(rule) > robots.MaxSize {
			return body
		}
		body = append(body, rule...)
	}
}

// large measures how the time for a query grows with the number of rules.
func large(table io.Writer, in *input) {
	type sized struct{ file, rules int }
	var files []sized
	for i, body := range in.bodies {
		files = append(files, sized{i, strings.Count(strings.ToLower(string(body)), "allow:")})
	}
	slices.SortFunc(files, func(a, b sized) int { return a.rules - b.rules })
	byFile := make(map[int][]query)
	for _, q := range in.queries {
		byFile[q.file] = append(byFile[q.file], q)
	}
	for _, f := range []sized{files[len(files)/2], files[len(files)*99/100], files[len(files)-1]} {
		cells := make([]string, 2)
		for i, peer := range []struct {
			parse func([]byte) any
			match matcher
		}{{parsePolite, matchPolite}, {parseTemoto, matchTemoto}} {
			file := peer.parse(in.bodies[f.file])
			queries := byFile[f.file]
			queries = queries[:min(len(queries), 200)]
			total := 0.0
			for _, q := range queries {
				total += timed(func() { peer.match(file, q) })
			}
			cells[i] = nanoseconds(total / float64(len(queries)))
		}
		row(table, fmt.Sprint(f.rules), cells...)
	}
}

func parsed(in *input, parse func([]byte) any) []any {
	files := make([]any, len(in.bodies))
	for i, body := range in.bodies {
		files[i] = parse(body)
	}
	return files
}

// timed returns the nanoseconds that f takes: the best of three runs, each of as
// many calls as fill 10 microseconds.
func timed(f func()) float64 {
	f()
	best := 0.0
	for calls := 1; ; {
		start := time.Now()
		for range calls {
			f()
		}
		if took := time.Since(start); took < 10*time.Microsecond {
			calls *= 2
			continue
		} else {
			best = float64(took) / float64(calls)
		}
		for range 2 {
			start := time.Now()
			for range calls {
				f()
			}
			best = min(best, float64(time.Since(start))/float64(calls))
		}
		return best
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// quantile returns the value below which a part q of sorted is.
func quantile(sorted []float64, q float64) float64 {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func nanoseconds(ns float64) string {
	switch {
	case ns < 1e4:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e7:
		return fmt.Sprintf("%.0f µs", ns/1e3)
	default:
		return fmt.Sprintf("%.0f ms", ns/1e6)
	}
}

func row(table io.Writer, name string, cells ...string) {
	fmt.Fprintf(table, "%s\t%s\t\n", name, strings.Join(cells, "\t"))
}

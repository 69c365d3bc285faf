package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
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
		hot := again(files, queries, peer.match)
		hot50s = append(hot50s, nanoseconds(quantile(hot, 0.5)))
		hot99s = append(hot99s, nanoseconds(quantile(hot, 0.99)))
		cold := inTurn(files, queries, peer.match)
		p50s = append(p50s, nanoseconds(quantile(cold, 0.5)))
		p99s = append(p99s, nanoseconds(quantile(cold, 0.99)))
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

// again returns the nanoseconds for each query, asked again and again, in ascending order.
func again(files []any, queries []query, match matcher) []float64 {
	times := make([]float64, len(queries))
	for i, q := range queries {
		times[i] = timed(func() { match(files[q.file], q) })
	}
	slices.Sort(times)
	return times
}

// inTurn returns the nanoseconds for each query, the least of five rounds, in ascending order.
func inTurn(files []any, queries []query, match matcher) []float64 {
	times := make([]float64, len(queries))
	for round := range 5 {
		for i, q := range queries {
			start := time.Now()
			match(files[q.file], q)
			took := float64(time.Since(start)) - clock
			if round == 0 || took < times[i] {
				times[i] = took
			}
		}
	}
	slices.Sort(times)
	return times
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

// ten are the letters of random words.
const ten = "abcdefghij"

// hostile measures files made to be slow: how long it takes to read one, and for the
// first query; the memory that is kept then; and how long it takes for the next ones.
func hostile(table io.Writer) {
	for _, f := range hostileFiles() {
		measureHostile(table, f.name, f.body, f.paths)
	}
}

// A hostileFile is made to be slow, with a path of 2 KB and one of 64 KB.
type hostileFile struct {
	name  string
	body  []byte
	paths []string
}

func hostileFiles() (files []hostileFile) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(n int) string { return randomWord(random, ten, n) }
	for _, made := range []struct {
		name    string
		group   int    // of so many rules; 0 for one group
		letters string // of the path
		pattern func(i int) string
	}{
		{"/*a*a*a*a*b", 0, "a", func(int) string { return "/*a*a*a*a*b" }},
		{"/*a*a*a*a*b…, all different", 0, "a", func(i int) string { return fmt.Sprintf("/*a*a*a*a*b%d", i) }},
		{"/*a*a*a*a*a*a*a*a*b$", 0, "a", func(int) string { return "/" + strings.Repeat("*a", 8) + "*b$" }},
		{"/*a… (1000), *b", 0, "a", func(int) string { return "/" + strings.Repeat("*a", 1000) + "*b" }},
		{"/*a… (1000 and more), *b", 0, "a", func(i int) string { return "/" + strings.Repeat("*a", 1000+i) + "*b" }},
		{"/a{40}b", 0, "a", func(int) string { return "/" + strings.Repeat("a", 40) + "b" }},
		{"/a{i}b", 0, "a", func(i int) string { return "/" + strings.Repeat("a", i) + "b" }},
		{"/*a{i}b", 0, "a", func(i int) string { return "/*" + strings.Repeat("a", i) + "b" }},
		{"*xxxxxxxxx!, words of ten letters", 0, ten, func(int) string { return "*" + word(9) + "!" }},
		{"the same in groups of 60", 60, ten, func(int) string { return "*" + word(9) + "!" }},
		{"*xx*xxx!, in the wrong order", 0, ten, func(int) string { return "*" + word(2) + "*" + word(3) + "!" }},
		{"*xx*xx*xxx!, in the wrong order", 0, ten, func(int) string { return "*" + word(2) + "*" + word(2) + "*" + word(3) + "!" }},
		{"*a{i}!b, nested", 0, strings.Repeat("a", 50) + "b", func(i int) string { return "*" + strings.Repeat("a", 1+i%1000) + "!b" }},
		{"*w*!a*w, all words w of a and b", 0, "ab", func(i int) string { return "*" + binary(i) + "*!a*" + binary(i) }},
		{"*ab*bb*w!, found by climbing", 0, "aaaaaaaaaab", func(i int) string { return "*ab*bb*" + randomWord(random, "ab", 1+i%3) + "!" }},
		{"*x{100}, words of ten letters", 0, ten, func(int) string { return "*" + word(100) }},
		{"*%3A, 2000 times", 0, "?::::::::", func(int) string { return strings.Repeat("*%3A", 2000) }},
		{"*a%3A$", 0, "a?:", func(int) string { return "*a%3A$" }},
		{"*a*b!", 0, "ab", func(int) string { return "*a*b!" }},
		{"*%3Aéé… (60 octets)", 0, "%:?\xC0\xC1\xC2\xC3", func(int) string { return "*%3A" + randomWord(random, "\xC0\xC1\xC2\xC3", 60) }},
	} {
		body, begin := repeated(made.group, made.pattern), "/"
		if bytes.Contains(body, []byte("!")) {
			begin = "/!" // it is in the path, but where it is of no use
		}
		paths := []string{begin + randomWord(random, made.letters, 2<<10), begin + randomWord(random, made.letters, 64<<10)}
		files = append(files, hostileFile{made.name, body, paths})
	}
	return files
}

// measureHostile measures one file, and paths of 2 and of 64 KB.
func measureHostile(table io.Writer, name string, body []byte, paths []string) {
	compile, first := fresh(body, paths[0])
	before := heap()
	file := robots.Parse(body)
	file.Allowed("ExampleBot", paths[0])
	memory := float64(heap()-before) / float64(len(body))
	cells := []string{nanoseconds(compile), nanoseconds(first), fmt.Sprintf("%.2f", memory)}
	for _, path := range paths {
		cells = append(cells, nanoseconds(timed(func() { file.Allowed("ExampleBot", path) })))
	}
	peer := parseTemoto(body)
	begin := time.Now() // once is enough
	matchTemoto(peer, query{agent: "ExampleBot", path: paths[0]})
	row(table, name, append(cells, nanoseconds(float64(time.Since(begin))))...)
	runtime.KeepAlive(body)
	runtime.KeepAlive(file)
}

// fresh returns the nanoseconds that it takes to read a file, and for the first query
// about it, the best of five.
func fresh(body []byte, path string) (compile, first float64) {
	for round := range 5 {
		begin := time.Now()
		file := robots.Parse(body)
		parsed := time.Now()
		file.Allowed("ExampleBot", path)
		took := float64(time.Since(parsed))
		if round == 0 || took < first {
			first = took
		}
		if took := float64(parsed.Sub(begin)); round == 0 || took < compile {
			compile = took
		}
	}
	return compile, first
}

// randomWord returns n octets of an alphabet.
func randomWord(random *rand.Rand, alphabet string, n int) string {
	word := make([]byte, n)
	for i := range word {
		word[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(word)
}

// binary returns the i-th word of "a" and "b", the shortest first.
func binary(i int) string {
	return strings.NewReplacer("0", "a", "1", "b").Replace(fmt.Sprintf("%b", i+2)[1:])
}

// repeated returns a file of as many rules as count, in groups for the same token.
func repeated(group int, pattern func(i int) string) []byte {
	body := []byte("user-agent: *\n")
	for i := 0; ; i++ {
		rule := "allow:" + pattern(i) + "\n"
		if group > 0 && i%group == group-1 {
			rule += "user-agent: *\n"
		}
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

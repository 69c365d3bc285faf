package simulation_test

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-polite/polite"
)

// A cost is the time and memory that something takes of the process.
type cost struct {
	heap    int64
	cpu, gc time.Duration
}

func measure() cost {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return cost{int64(stats.HeapAlloc), cpuTime(), collecting()}
}

func (c cost) since(before cost) cost {
	return cost{c.heap - before.heap, c.cpu - before.cpu, c.gc - before.gc}
}

// collecting returns the time that the garbage collector has computed, without the time
// in which the process was otherwise idle.
func collecting() time.Duration {
	samples := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(samples)
	return time.Duration((samples[0].Value.Float64() - samples[1].Value.Float64()) * float64(time.Second))
}

func (c *crawl) stats() polite.Stats { return c.transport.Cache.Stats() }

// bytesPerOrigin returns the memory that the crawl has taken, without the files,
// for each origin that is known.
func (c *crawl) bytesPerOrigin(took cost) float64 {
	return float64(took.heap-c.fileBytes()) / float64(c.stats().Origins)
}

// fileBytes returns about how many bytes the distinct files take.
func (c *crawl) fileBytes() (n int64) {
	for _, x := range c.world.texts {
		n += int64(x.size)
	}
	return n
}

// perDay returns how often in a day a site of a kind was asked for robots.txt. Sites that
// were never asked do not count.
func (c *crawl) perDay(k kind) float64 {
	return float64(c.world.asked[k]) / float64(c.visited(k)) / *days
}

func (c *crawl) visited(k kind) (n int) {
	for i := range c.world.sites {
		if s := &c.world.sites[i]; s.kind == k && s.asked > 0 {
			n++
		}
	}
	return max(n, 1)
}

func (c *crawl) mostAsked(k kind) (most uint16) {
	for i := range c.world.sites {
		if s := &c.world.sites[i]; s.kind == k {
			most = max(most, s.asked)
		}
	}
	return most
}

func (c *crawl) report(took cost) string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, format string, values ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, values...))
	}
	s := c.stats()
	row("requests", "%d over %v days, seed %d", *requests, *days, c.seed)
	row("arrived", "%d", c.world.pages)
	row("refused by a rule", "%d", c.refused)
	row("refused as unreachable", "%d", c.unreachable)
	row("told to come later", "%d", c.late)
	row("origins known", "%d of %d; %d evicted", s.Origins, *origins, s.Evictions)
	row("files known", "%d", s.Files)
	row("memory", "%.1f MB, of which files %.1f MB; %.0f bytes an origin besides", mega(took.heap), mega(c.fileBytes()), c.bytesPerOrigin(took))
	row("bound", "%.1f MB of %.1f MB by the cache's own count", mega(s.Bytes), mega(*maxBytes))
	row("hits", "%.2f%%", 100*float64(s.Hits)/float64(s.Hits+s.Misses))
	for i, reason := range []string{"robots.txt", "their turn"} {
		w := c.waits[i]
		row("waited for "+reason, "%d (%.2f%%), %v in the mean, %v at most", w.count,
			100*float64(w.count)/float64(*requests), (w.total / time.Duration(max(w.count, 1))).Round(time.Millisecond), w.longest.Round(time.Millisecond))
	}
	row("… for robots.txt, less than an hour after others", "%d", c.again)
	row("CPU", "%.1f s: %.0f requests a second and core, with the world and its clock", took.cpu.Seconds(), float64(*requests)/took.cpu.Seconds())
	row("… of the garbage collector", "%.1f s, %.1f%%", took.gc.Seconds(), 100*took.gc.Seconds()/took.cpu.Seconds())
	for k := range kinds {
		row("asked: "+k.String(), "%d; %.2f per origin visited and day, %d at most", c.world.asked[k], c.perDay(k), c.mostAsked(k))
	}
	table.Flush()
	return b.String()
}

func mega(n int64) float64 { return float64(n) / 1e6 }

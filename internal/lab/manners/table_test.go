package manners

import (
	"fmt"
	"io"
	"testing"
	"text/tabwriter"
	"time"
)

const (
	allPages   = 3000
	goroutines = 16
)

// A kind is a kind of site.
type kind struct {
	name  string
	site  func() site
	ideal time.Duration // the time for all pages that the site allows; 0: that of a client that just sends
}

func perSecond(rate float64) time.Duration {
	return time.Duration(allPages / rate * float64(time.Second))
}

func limited(rate, burst float64, delays bool) func() site {
	return func() site { return &limiter{rate: steady(rate), burst: burst, delays: delays} }
}

func banned(status int) func() site {
	return func() site {
		return &ban{status: status, most: 300, within: 30 * time.Second, lasts: 10 * time.Minute}
	}
}

func crowd(number int, takes time.Duration) func() site {
	return func() site { return &workers{free: make([]time.Duration, number), takes: takes} }
}

func well(h healthy) func() site { return func() site { return &h } }

// kinds are the sites of the table.
func kinds() []kind {
	return []kind{
		{"limit of 1/s", limited(1, 0, false), perSecond(1)},
		{"1/s, burst 10, delayed", limited(1, 10, true), perSecond(1)},
		{"1/s, burst 10, at once", limited(1, 10, false), perSecond(1)},
		{"limit of 5/s", limited(5, 0, false), perSecond(5)},
		{"5/s, burst 10, delayed", limited(5, 10, true), perSecond(5)},
		{"5/s, burst 10, at once", limited(5, 10, false), perSecond(5)},
		{"limit of 20/s", limited(20, 0, false), perSecond(20)},
		{"20/s, burst 10, delayed", limited(20, 10, true), perSecond(20)},
		{"20/s, burst 10, at once", limited(20, 10, false), perSecond(20)},
		{"20/s, for a minute 2/s", func() site { return &limiter{rate: dropping} }, 204 * time.Second},
		{"ban by 403 above 10/s", banned(403), perSecond(10)},
		{"ban by 429 above 10/s", banned(429), perSecond(10)},
		{"ban by 503 above 10/s", banned(503), perSecond(10)},
		{"quota of 600 in 5 min", func() site { return &quota{most: 600, period: 5 * time.Minute} }, perSecond(2)},
		{"four workers of 300 ms", crowd(4, 300*time.Millisecond), 0},
		{"one worker of 50 ms", crowd(1, 50*time.Millisecond), 0},
		{"down for 2 min", func() site { return &outage{from: 2 * time.Second, to: 122 * time.Second} }, 0},
		{"fast", well(healthy{}), 0},
		{"one quick page in ten", well(healthy{slow: 300 * time.Millisecond}), 0},
		{"one broken section", well(healthy{broken: 3}), 0},
		{"5% fail with 500", well(healthy{failing: 0.05}), 0},
		{"1% are refused with 503", well(healthy{refusing: 0.01}), 0},
		{"30% are 404", well(healthy{missing: 0.3}), 0},
	}
}

type named struct {
	name string
	make func(t *testing.T) controller
}

// controllers are the columns of the table.
func controllers() []named {
	return []named{
		{"nothing", func(*testing.T) controller { return newNothing() }},
		{"AutoThrottle", simply(newAutoThrottle)},
		{"Scrapy 8", simply(scrapyEight)},
		{"Scrapy 1 s", simply(scrapySecond)},
		{"Nutch", simply(nutch)},
		{"StormCrawler", simply(stormCrawler)},
		{"Heritrix", simply(newHeritrix)},
		{"AWS", simply(newAWS)},
		{"no ceiling", newOurs},
		{"polite", newPolite},
	}
}

func newNothing() controller { return simple{nothing{}} }

func simply(of func() paced) func(*testing.T) controller {
	return func(*testing.T) controller { return simple{of()} }
}

// measure crawls a site with each seed. It returns the means of the share of what the site allows, and
// of bad answers.
func measure(t *testing.T, k kind, of func(*testing.T) controller) (allowed, bad float64) {
	for seed := range uint64(seeds) {
		crawled := func(by controller) result {
			c := newCrawl(k.site(), by, goroutines, allPages)
			c.seed = seed
			return c.run()
		}
		ideal := k.ideal
		if ideal == 0 {
			ideal = crawled(newNothing()).took
		}
		r := crawled(of(t))
		allowed += float64(r.done) / allPages * ideal.Seconds() / r.took.Seconds() / seeds
		bad += r.badShare() / seeds
	}
	return allowed, bad
}

// printTable prints the share of what is allowed, and of bad answers, in percent: means of five seeds.
func printTable(t *testing.T, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, c := range controllers() {
		fmt.Fprintf(w, "\t%s", c.name)
	}
	fmt.Fprintln(w, "\t")
	for _, k := range kinds() {
		fmt.Fprint(w, k.name)
		for _, cell := range row(t, k) {
			fmt.Fprint(w, "\t", cell)
		}
		fmt.Fprintln(w, "\t")
	}
	return w.Flush()
}

// row measures all controllers at a site.
func row(t *testing.T, k kind) (cells []string) {
	for _, c := range controllers() {
		allowed, bad := measure(t, k, c.make)
		cells = append(cells, percent(allowed)+"/"+percent(bad))
	}
	return cells
}

func percent(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return "0"
	case p < 10 || p > 99 && p < 99.95:
		return fmt.Sprintf("%.1f", p)
	default:
		return fmt.Sprintf("%.0f", p)
	}
}

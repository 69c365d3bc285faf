package manners

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"text/tabwriter"
	"time"
)

// A trouble is a site that has trouble for a while, or for ever, and what a crawl of it is measured by.
type trouble struct {
	name       string
	goroutines int
	site       func() site
	judge      func(l *log) string
	lasts      time.Duration
}

// A log is what has arrived at a site.
type log struct {
	trouble trouble
	good    []time.Duration // when good answers were given
	all     int
}

// partly answers a part of the requests with a status, between two times.
type partly struct {
	status   int
	part     float64
	from, to time.Duration // to 0: for ever
	section  int           // this one alone; 0: all
	first    int           // so many pages are answered well before
	takes    time.Duration // a page; 0: as usual
}

func (p *partly) arrive(of page, now time.Duration, chance *rand.Rand) reply {
	if p.first > 0 {
		p.first--
		return served(chance)
	}
	ill := now >= p.from && (p.to == 0 || now < p.to) && (p.section == 0 || of.section == p.section)
	if ill && (p.part == 1 || chance.Float64() < p.part) {
		return refusal(p.status)
	}
	if p.takes > 0 {
		return reply{status: 200, after: p.takes}
	}
	return served(chance)
}

// requests counts what the site was asked.
func requests(l *log) string { return fmt.Sprint(l.all, " requests") }

// back tells how long after a time the rate of good answers is 90% of that of a client that just sends.
func back(well time.Duration) func(*log) string {
	return func(l *log) string {
		const span = 20 * time.Second
		want := 0.9 * rate(l.trouble, span)
		for at := well; at+span <= l.trouble.lasts; at += time.Second {
			if float64(count(l.good, at, at+span)) >= want {
				return fmt.Sprintf("back after %v", at-well)
			}
		}
		return "never back"
	}
}

// third tells how long after a time the rate of good answers is a third of that of a client that just
// sends, and when it is 90%.
func third(well time.Duration) func(*log) string {
	return func(l *log) string {
		const span = 20 * time.Second
		all, at := rate(l.trouble, span), make([]string, 0, 2)
		for _, part := range []float64{0.3, 0.9} {
			found := "never"
			for from := well; from+span <= l.trouble.lasts; from += time.Second {
				if float64(count(l.good, from, from+span)) >= part*all {
					found = fmt.Sprint(from - well)
					break
				}
			}
			at = append(at, found)
		}
		return fmt.Sprintf("a third after %s, back after %s", at[0], at[1])
	}
}

// share tells the good answers from a time on, as a part of those of a client that just sends.
func share(from time.Duration) func(*log) string {
	return func(l *log) string {
		rude := newCrawl(l.trouble.site(), newNothing(), l.trouble.goroutines, 1<<30)
		all := recorded(rude, l.trouble)
		return percent(float64(count(l.good, from, l.trouble.lasts))/float64(max(count(all.good, from, l.trouble.lasts), 1))) + "%"
	}
}

// of tells the good answers from a time on as a part of a rate.
func of(perSecond float64, from time.Duration) func(*log) string {
	return func(l *log) string {
		return percent(float64(count(l.good, from, l.trouble.lasts))/perSecond/(l.trouble.lasts-from).Seconds()) + "%"
	}
}

// refused tells the good answers from a time on as a part of a rate, and the part of all that was refused.
func refused(perSecond float64, from time.Duration) func(*log) string {
	return func(l *log) string {
		return fmt.Sprintf("%s, refused %s%%", of(perSecond, from)(l), percent(1-float64(len(l.good))/float64(l.all)))
	}
}

// rate returns how many good answers a client that just sends gets in a while at a site that is well.
func rate(t trouble, span time.Duration) float64 {
	well := newCrawl(&healthy{}, newNothing(), t.goroutines, 1<<30)
	t.lasts = span + time.Second
	return float64(count(recorded(well, t).good, time.Second, t.lasts))
}

func count(times []time.Duration, from, to time.Duration) (n int) {
	for _, at := range times {
		if at >= from && at < to {
			n++
		}
	}
	return n
}

// recorded runs a crawl, and returns what arrived.
func recorded(c *crawl, t trouble) *log {
	l := &log{trouble: t}
	c.until = t.lasts
	c.watch = func(now time.Duration, status int) {
		if l.all++; status == 200 {
			l.good = append(l.good, now)
		}
	}
	c.run()
	return l
}

// crawled lets a controller crawl a site in trouble.
func (t trouble) crawled(by controller, seed uint64) string {
	c := newCrawl(t.site(), by, t.goroutines, 1<<30)
	c.seed = seed
	return t.judge(recorded(c, t))
}

// troubles are the sites of the second table.
func troubles() (all []trouble) {
	const minute = time.Minute
	from := func(p partly) func() site { return func() site { fresh := p; return &fresh } }
	for _, status := range []int{500, 502, 504, 403} {
		all = append(all, trouble{fmt.Sprintf("every page %d from the first on", status), 16, from(partly{status: status, part: 1}), requests, 2 * minute})
	}
	for _, status := range []int{429, 503} {
		for _, n := range []int{4, 16, 200} {
			all = append(all, trouble{fmt.Sprintf("one of seven sections %d after a minute, %d goroutines", status, n), n,
				from(partly{status: status, part: 1, from: minute, section: 1, takes: 500 * time.Millisecond}), share(2 * minute), 7 * minute})
		}
	}
	for _, part := range []float64{0.5, 0.1} {
		all = append(all, trouble{fmt.Sprintf("503 to %v%% for ten minutes", 100*part), 16, from(partly{status: 503, part: part, from: minute, to: 11 * minute}), back(11 * minute), 60 * minute})
	}
	for _, part := range []float64{0.01, 0.1, 0.2, 0.4} {
		all = append(all, trouble{fmt.Sprintf("503 to %v%% for ever", 100*part), 16, from(partly{status: 503, part: part}), share(5 * minute), 30 * minute})
	}
	all = append(all, trouble{"503 to all for ten minutes", 16, from(partly{status: 503, part: 1, from: minute, to: 11 * minute}), back(11 * minute), 40 * minute})
	for _, perSecond := range []float64{20, 100} {
		for _, takes := range []time.Duration{time.Second, 5 * time.Second} {
			for _, n := range []int{16, 200} {
				if most := float64(n) / takes.Seconds(); most >= perSecond/2 {
					all = append(all, trouble{fmt.Sprintf("%v/s, pages of %v, %d goroutines", perSecond, takes, n), n,
						func() site { return &limiter{rate: steady(perSecond), takes: takes} }, of(min(perSecond, most), minute), 10 * minute})
				}
			}
		}
	}
	for _, status := range []int{429, 403} {
		all = append(all, trouble{fmt.Sprintf("%d to all for the first ten minutes", status), 16, from(partly{status: status, part: 1, to: 10 * minute}), back(10 * minute), 40 * minute})
	}
	for _, status := range []int{403, 500} {
		all = append(all, trouble{fmt.Sprintf("5/s, said by %d", status), 16,
			func() site { return &limiter{rate: steady(5), burst: 5, status: status} }, refused(5, 2*minute), 30 * minute})
	}
	for _, limit := range []struct{ rate, burst, noise float64 }{{0.02, 20, 0}, {0.5, 60, 0}, {2, 60, 0}, {20, 10, 0}, {1, 1, 0.01}, {1, 1, 0.05}, {10, 3, 0.01}, {10, 3, 0.05}, {10, 3, 0.2}, {10, 60, 0.02}, {2, 60, 0.1}, {50, 20, 0.4}} {
		all = append(all, trouble{fmt.Sprintf("%v/s, burst %v, and 503 to %v%%", limit.rate, limit.burst, 100*limit.noise), 16,
			func() site { return &limiter{rate: steady(limit.rate), burst: limit.burst, noise: limit.noise} }, refused(limit.rate*(1-limit.noise), 5*minute), 60 * minute})
	}
	for _, first := range []int{1, 2} {
		all = append(all, trouble{fmt.Sprintf("every page 500 but the first %d", first), 16, from(partly{status: 500, part: 1, first: first}), requests, 5 * minute})
	}
	for _, ban := range []struct {
		status int
		lasts  time.Duration
	}{{429, 3 * minute}, {403, 10 * minute}, {503, 3 * minute}} {
		all = append(all, trouble{fmt.Sprintf("%d to all for %v", ban.status, short(ban.lasts)), 6, from(partly{status: ban.status, part: 1, from: minute, to: minute + ban.lasts}), third(minute + ban.lasts), 90 * minute})
	}
	for _, told := range []bool{true, false} {
		for _, q := range []quota{{most: 10, period: time.Second}, {most: 50, period: 10 * time.Second}} {
			name := fmt.Sprintf("%d in %v, told", q.most, short(q.period))
			if q.silent = !told; !told {
				name = fmt.Sprintf("%d in %v, untold", q.most, short(q.period))
			}
			all = append(all, trouble{name, 16, func() site { fresh := q; return &fresh }, of(float64(q.most)/q.period.Seconds(), minute), 10 * minute})
		}
	}
	for _, status := range []int{403, 500} {
		all = append(all, trouble{fmt.Sprintf("%d to half, 1 goroutine", status), 1, from(partly{status: status, part: 0.5}), share(minute), 10 * minute})
	}
	all = append(all,
		trouble{"403 to half, 200 goroutines", 200, from(partly{status: 403, part: 0.5}), share(minute), 5 * minute},
		trouble{"one section 503 for ever, 200 goroutines", 200, from(partly{status: 503, part: 1, section: 1}), share(minute), 5 * minute},
		trouble{"50 in 10 s", 16, func() site { return &quota{most: 50, period: 10 * time.Second, silent: true} }, of(5, minute), 10 * minute})
	return all
}

// printTroubles prints how polite fares at sites in trouble: without a setting, and without a ceiling.
func printTroubles(t *testing.T, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, one := range troubles() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", one.name, one.crawled(newPolite(t), 0), one.crawled(newOurs(t), 0))
	}
	return w.Flush()
}

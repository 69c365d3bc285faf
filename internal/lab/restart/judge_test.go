package restart_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// An account is what the web saw of a crawler, and how the lives of the crawler ended.
// All times count from the beginning of the web. Zero is never.
type account struct {
	delays map[string]time.Duration // the crawl-delays of hosts
	visits []visit
	lives  []life
}

// A visit is a request that arrived.
type visit struct {
	life     int    // of the crawler that sent it
	host     string // whose page or robots.txt it wants
	robots   bool
	hop      bool          // it was redirected: the robots.txt of host lies elsewhere
	begun    time.Duration // when the crawler handed it on to be sent; zero: at
	sent     time.Duration // when its connection was ready, and the crawler let it go; zero: at
	at       time.Duration // when it arrived
	answered time.Duration // no later than its answer left, unless that is a redirect
	failed   bool          // the answer says nothing about rules
	pause    time.Duration // the break that the answer asks for
	told     time.Duration // when the crawler's caller had the answer
}

// A life of the crawler goes from one start of its process to its end.
type life struct {
	end    time.Duration // when the end began: at the last thing that the process did, or before
	killed bool
	slow   time.Duration // the longest that a small write to the disk took of late
}

const (
	batch     = time.Second          // an entry is written no later than this after it was put
	backoff   = 45 * time.Second     // the least time from a failed try to the next
	tolerance = 2 * time.Millisecond // of clocks
	commits   = 4                    // how many slow writes the last commits of a life may take
)

// A verdict is what the judge finds.
type verdict struct {
	violations []string
	asks       int // for a robots.txt, without redirects
	again      int // … that a kill excuses
	retried    int // … after a failure, in time
	gaps       gaps
	restarts   gaps // gaps with a restart in between
	breaks     int  // that the crawler's caller knew of
	outlived   int  // … that were not over when a life ended
}

// gaps are the times from one page of a host to the next, by their arrival.
type gaps struct {
	count    int
	excused  int           // too short where they arrived, but not where they were sent
	shortest time.Duration // beyond the crawl-delay, from the sending of one page to the arrival of the next
}

func (a *account) judge() *verdict {
	v := new(verdict)
	hosts := make(map[string][]visit)
	for _, one := range a.visits {
		hosts[one.host] = append(hosts[one.host], one)
	}
	for host, visits := range hosts {
		v.judgeAsks(visits, a.lives)
		v.judgeGaps(visits, a.delays[host])
		v.judgeBreaks(visits, a.delays[host], a.lives)
	}
	return v
}

func (v *verdict) violates(format string, values ...any) {
	v.violations = append(v.violations, fmt.Sprintf(format, values...))
}

// judgeAsks finds each robots.txt that was asked for although it was known.
func (v *verdict) judgeAsks(visits []visit, lives []life) {
	asks := asksOf(visits)
	v.asks += len(asks)
	for i := 1; i < len(asks); i++ {
		before, ask := asks[i-1], asks[i]
		switch {
		case lives[before.life].lost(before, ask):
			v.again++
		case before.failed && ask.at-before.answered >= backoff:
			v.retried++
		default:
			v.violates("%s: robots.txt is asked for at %v in life %d, but was answered at %v in life %d", ask.host, ask.at, ask.life, before.answered, before.life)
		}
	}
}

// asksOf returns the visits for a robots.txt. If a visit was redirected, its answer is
// the answer of the last hop.
func asksOf(visits []visit) (asks []visit) {
	for _, one := range byTime(visits, func(v visit) time.Duration { return v.at }) {
		switch {
		case one.robots && !one.hop:
			asks = append(asks, one)
		case one.hop && len(asks) > 0:
			last := &asks[len(asks)-1]
			last.answered, last.failed = one.answered, one.failed
		}
	}
	return asks
}

// lost reports whether a later life may lack the answer to a visit in l. That is so if l
// did not get the answer, or ended before it had to be in the file.
func (l *life) lost(before, later visit) bool {
	time := commits * l.slow
	if l.killed {
		time += batch
	}
	return later.life > before.life && (before.answered == 0 || before.answered > l.end-time)
}

// judgeGaps finds pages that were sent too soon after others. The crawler reports when it
// let a request go. So it is not blamed if one request took long to arrive, and the next
// did not. The report of a request never excuses the next one.
func (v *verdict) judgeGaps(visits []visit, delay time.Duration) {
	var last *visit
	for _, one := range byTime(visits, visit.left) {
		if one.robots {
			continue
		}
		if last != nil && delay > 0 {
			spare := one.at - last.left() - delay
			v.gaps.add(spare, one.at-last.at-delay)
			if one.life != last.life {
				v.restarts.add(spare, one.at-last.at-delay)
			}
			if spare < -tolerance {
				v.violates("%s: a page comes at %v in life %d, %v too soon after one in life %d", one.host, one.at, one.life, -spare, last.life)
			}
		}
		last = &one
	}
}

func (g *gaps) add(spare, arrived time.Duration) {
	if g.count == 0 || spare < g.shortest {
		g.shortest = spare
	}
	if g.count++; spare >= -tolerance && arrived < -tolerance {
		g.excused++
	}
}

// left returns the latest time at which the request can have left the crawler.
func (v visit) left() time.Duration {
	if v.sent == 0 {
		return v.at
	}
	return min(v.sent, v.at)
}

// start returns the latest time at which the crawler can have decided on the start of the
// request. If a site has no crawl-delay, that is before the crawler connects.
func (v visit) start(delay time.Duration) time.Duration {
	if v.begun == 0 || delay > 0 {
		return v.left()
	}
	return min(v.begun, v.left())
}

func (v visit) what() string {
	if v.robots {
		return "robots.txt"
	}
	return "a page"
}

// judgeBreaks finds what was sent in a break that the crawler's caller knew of.
func (v *verdict) judgeBreaks(visits []visit, delay time.Duration, lives []life) {
	for _, cause := range visits {
		if cause.pause == 0 || cause.told == 0 {
			continue
		}
		until := cause.answered + cause.pause
		v.breaks++
		if end := lives[cause.life].end; end < until {
			v.outlived++
		}
		for _, one := range visits {
			if one.start(delay) > cause.told && one.at < until-tolerance {
				v.violates("%s: %s is asked for at %v in life %d, in a break from %v to %v that life %d has heard of, from %s",
					one.host, one.what(), one.at, one.life, cause.told, until, cause.life, cause.what())
			}
		}
	}
}

func byTime(visits []visit, of func(visit) time.Duration) []visit {
	return slices.SortedFunc(slices.Values(visits), func(a, b visit) int { return cmp.Compare(of(a), of(b)) })
}

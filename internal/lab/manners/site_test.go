package manners

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

const (
	sections = 8                     // first segments of paths
	service  = 30 * time.Millisecond // that a page takes at the server
	quick    = time.Millisecond      // that a refusal takes
)

// A page is what is asked for.
type page struct {
	number  int
	section int
}

// A reply is what a site says to a request, and when.
type reply struct {
	status     int           // 0 if the connection is refused
	after      time.Duration // from the arrival
	quotaGap   time.Duration // that quota fields ask for
	quotaLeft  time.Duration // how long it holds
	quotaBreak time.Duration
	retryAfter time.Duration
}

func refusal(status int) reply { return reply{status: status, after: quick} }

// A site answers requests in the order in which they arrive.
type site interface {
	arrive(p page, now time.Duration, chance *rand.Rand) reply
}

// served returns an answer that takes as long as pages do.
func served(chance *rand.Rand) reply {
	return reply{status: 200, after: time.Duration(float64(service) * (0.7 + 0.6*chance.Float64()))}
}

// healthy is a site that bears anything. A part of its pages is missing, or fails.
type healthy struct {
	missing, failing, refusing float64
	broken                     int           // the section that fails always; 0: none
	slow                       time.Duration // how much longer nine of ten pages take
}

func (h *healthy) arrive(p page, _ time.Duration, chance *rand.Rand) reply {
	r := served(chance)
	switch lot := chance.Float64(); {
	case h.broken > 0 && p.section == h.broken:
		r.status = 500
	case lot < h.failing:
		r.status = 500
	case lot < h.failing+h.missing:
		r.status = 404
	case lot < h.failing+h.missing+h.refusing:
		return refusal(503)
	}
	if h.slow > 0 && chance.IntN(10) > 0 {
		r.after += time.Duration(chance.Int64N(int64(2 * h.slow)))
	}
	return r
}

// limiter is nginx with limit_req.
type limiter struct {
	rate   func(now time.Duration) float64 // per second
	burst  float64
	delays bool          // the burst waits at the server
	noise  float64       // the part that is refused by chance, too
	status int           // of refusals; 0: 503
	takes  time.Duration // a page; 0: as usual
	excess float64
	last   time.Duration
	began  bool
}

func steady(perSecond float64) func(time.Duration) float64 {
	return func(time.Duration) float64 { return perSecond }
}

// dropping is 20 a second, but 2 in the second minute.
func dropping(now time.Duration) float64 {
	if now >= time.Minute && now < 2*time.Minute {
		return 2
	}
	return 20
}

func (l *limiter) arrive(_ page, now time.Duration, chance *rand.Rand) reply {
	if l.noise > 0 && chance.Float64() < l.noise {
		return refusal(http.StatusServiceUnavailable)
	}
	rate := l.rate(now)
	excess := max(l.excess-rate*(now-l.last).Seconds()+1, 0)
	if !l.began {
		l.began, excess = true, 0
	}
	if excess > l.burst {
		return refusal(cmp.Or(l.status, http.StatusServiceUnavailable))
	}
	l.excess, l.last = excess, now
	r := served(chance)
	r.after = cmp.Or(l.takes, r.after)
	if l.delays {
		r.after += time.Duration(excess / rate * float64(time.Second))
	}
	return r
}

// ban shuts out who sends more than most within a time.
type ban struct {
	status int
	most   int
	within time.Duration
	lasts  time.Duration
	until  time.Duration
	recent []time.Duration
}

func (b *ban) arrive(_ page, now time.Duration, chance *rand.Rand) reply {
	if now < b.until {
		return refusal(b.status)
	}
	keep, _ := slices.BinarySearch(b.recent, now-b.within)
	b.recent = append(b.recent[keep:], now)
	if len(b.recent) > b.most {
		b.until, b.recent = now+b.lasts, nil
		return refusal(b.status)
	}
	return served(chance)
}

// workers is a server with few threads, and a queue before them.
type workers struct {
	takes   time.Duration
	free    []time.Duration // when each is free again
	longest time.Duration   // that a request waited
}

func (w *workers) arrive(_ page, now time.Duration, _ *rand.Rand) reply {
	slices.Sort(w.free)
	start := max(now, w.free[0])
	w.free[0] = start + w.takes
	w.longest = max(w.longest, start-now)
	return reply{status: 200, after: start + w.takes - now}
}

// outage is a site that is down for a while.
type outage struct {
	from, to time.Duration
	asked    int // while it was down
	back     time.Duration
}

func (o *outage) arrive(_ page, now time.Duration, chance *rand.Rand) reply {
	if now >= o.from && now < o.to {
		o.asked++
		return reply{}
	}
	if now >= o.to && o.back == 0 {
		o.back = now - o.to
	}
	return served(chance)
}

// quota allows so many requests in each period.
type quota struct {
	most   int
	period time.Duration
	silent bool // it does not tell what is left
	used   int
	since  time.Duration
}

func (q *quota) arrive(_ page, now time.Duration, chance *rand.Rand) reply {
	if now-q.since >= q.period {
		q.since, q.used = now-now%q.period, 0
	}
	left := q.since + q.period - now
	if q.used >= q.most {
		r := refusal(http.StatusTooManyRequests)
		if !q.silent {
			r.retryAfter = left
		}
		return r
	}
	q.used++
	r := served(chance)
	switch remains := q.most - q.used; {
	case q.silent:
	case remains == 0:
		r.quotaBreak = left
	case 2*remains < q.most:
		r.quotaGap, r.quotaLeft = left/time.Duration(remains), left
	}
	return r
}

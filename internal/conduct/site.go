package conduct

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/origintest"
)

// Delayed returns rules with a crawl-delay.
func Delayed(seconds any) http.HandlerFunc {
	return origintest.Text(fmt.Sprintf("user-agent: *\ncrawl-delay: %v\ndisallow: /private\n", seconds))
}

// Gaps returns the times between arrivals.
func Gaps(log origintest.Log) (gaps []time.Duration) {
	for i := 1; i < len(log); i++ {
		gaps = append(gaps, log[i].Time.Sub(log[i-1].Time))
	}
	return gaps
}

// Slow is a page that counts how many of it are under way.
type Slow struct {
	Now, Most, All atomic.Int64
	Takes          time.Duration
}

func (s *Slow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	Raise(&s.Most, s.Now.Add(1))
	s.All.Add(1)
	defer s.Now.Add(-1)
	io.WriteString(w, "the beginning")
	http.NewResponseController(w).Flush()
	origintest.Wait(r.Context(), s.Takes)
	io.WriteString(w, ", and the end")
}

// Caching answers with body, and for how many seconds it holds.
func Caching(body string, seconds int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", fmt.Sprint("max-age=", seconds))
		io.WriteString(w, body)
	}
}

// A Site says how it answers a request for a page. It is called for one request at a
// time, with the time since the crawl began.
type Site func(now time.Duration, part string) Reply

// A Reply is an answer. A status of zero is 200.
type Reply struct {
	Status int
	Takes  time.Duration // zero is 20 ms
	Header []string      // names and values
}

// Code is the status.
func (r Reply) Code() int { return cmp.Or(r.Status, http.StatusOK) }

// After is how long the answer takes.
func (r Reply) After() time.Duration { return cmp.Or(r.Takes, 20*time.Millisecond) }

// Write sends the answer, if nobody ends the request before.
func (r Reply) Write(w http.ResponseWriter, req *http.Request) {
	if !origintest.Wait(req.Context(), r.After()) {
		return
	}
	for i := 0; i+1 < len(r.Header); i += 2 {
		w.Header().Add(r.Header[i], r.Header[i+1])
	}
	w.WriteHeader(r.Code())
	io.WriteString(w, "a page\n")
}

// Bucket is a limit: so many a second, and a burst that is served at once.
func Bucket(rate func(now time.Duration) float64, burst float64) Site {
	var excess float64
	var last time.Duration
	first := true
	return func(now time.Duration, _ string) Reply {
		left := max(excess-rate(now)*(now-last).Seconds(), 0)
		if !first && left > burst+1e-9 {
			return Reply{Status: http.StatusTooManyRequests}
		}
		excess, last, first = left+1, now, false
		return Reply{}
	}
}

// Steady is a rate that does not change.
func Steady(rate float64) func(time.Duration) float64 {
	return func(time.Duration) float64 { return rate }
}

// A site that is down is down from DownFrom to DownTo after the crawl began.
const (
	DownFrom = 10 * time.Second
	DownTo   = DownFrom + 2*time.Minute
)

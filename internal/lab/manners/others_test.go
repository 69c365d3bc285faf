package manners

import (
	"math"
	"math/rand/v2"
	"time"
)

// nothing sends as soon as a goroutine is free.
type nothing struct{}

func (nothing) room(time.Duration) bool              { return true }
func (nothing) next(now time.Duration) time.Duration { return now }
func (nothing) begin(time.Duration)                  {}
func (nothing) end(answer)                           {}

// fixed keeps a delay and a number that may be under way. It is the base of the others.
type fixed struct {
	delay    time.Duration
	most     int           // under way; 0: any number
	random   bool          // the delay is half of it to half as much again
	afterEnd bool          // the delay is from the end of the last request
	at       time.Duration // when the next one may begin
	under    int
	chance   *rand.Rand
}

func (f *fixed) room(time.Duration) bool              { return f.most == 0 || f.under < f.most }
func (f *fixed) next(now time.Duration) time.Duration { return max(now, f.at) }

func (f *fixed) begin(now time.Duration) {
	f.under++
	delay := f.delay
	if f.random {
		delay = time.Duration(float64(delay) * (0.5 + f.chance.Float64()))
	}
	f.at = now + delay
}

func (f *fixed) end(a answer) {
	f.under--
	if f.afterEnd {
		f.at = a.now + f.delay
	}
}

func newChance() *rand.Rand { return rand.New(rand.NewPCG(7, 7)) }

// Scrapy, with its usual 8 requests under way for a site, and with a delay of a second.
func scrapyEight() paced { return &fixed{most: 8} }
func scrapySecond() paced {
	return &fixed{most: 8, delay: time.Second, random: true, chance: newChance()}
}

// Nutch waits 5 s after each page, and StormCrawler one.
func nutch() paced        { return &fixed{most: 1, delay: 5 * time.Second, afterEnd: true} }
func stormCrawler() paced { return &fixed{most: 1, delay: time.Second, afterEnd: true} }

// autoThrottle is Scrapy's: the delay goes half the way to the time that an answer took.
// An answer other than 200 does not make it shorter.
type autoThrottle struct{ fixed }

func newAutoThrottle() paced {
	return &autoThrottle{fixed{most: 8, delay: 5 * time.Second, random: true, chance: newChance()}}
}

func (t *autoThrottle) end(a answer) {
	t.fixed.end(a)
	took := a.now - a.begun
	delay := min(max((t.delay+took)/2, took), time.Minute)
	if a.reply.status == 200 || delay > t.delay {
		t.delay = delay
	}
}

// heritrix waits five times as long as the last page took, from 3 to 30 s.
type heritrix struct{ fixed }

func newHeritrix() paced { return &heritrix{fixed{most: 1, afterEnd: true}} }

func (h *heritrix) end(a answer) {
	h.delay = min(max(5*(a.now-a.begun), 3*time.Second), 30*time.Second)
	h.fixed.end(a)
}

// aws is the adaptive retry mode of the AWS SDKs: a token bucket whose rate follows a cubic
// curve after a throttled answer.
type aws struct {
	on                bool
	fill, most, begun float64 // the rate, the one that was too much, and when that was
	tokens            float64
	last              time.Duration
	measured          float64
	count             int
	bucket            float64
}

func newAWS() paced { return &aws{} }

func (w *aws) room(time.Duration) bool { return true }

func (w *aws) refill(now time.Duration) {
	w.tokens = min(w.tokens+w.fill*(now-w.last).Seconds(), max(w.fill, 1))
	w.last = now
}

func (w *aws) next(now time.Duration) time.Duration {
	if !w.on {
		return now
	}
	w.refill(now)
	if w.tokens >= 1-1e-9 {
		return now
	}
	return now + time.Duration((1-w.tokens)/w.fill*float64(time.Second)) + time.Microsecond
}

func (w *aws) begin(now time.Duration) {
	if w.on {
		w.tokens--
	}
	w.count++
	if bucket := math.Floor(now.Seconds()*2) / 2; bucket > w.bucket {
		w.measured = 0.8*float64(w.count)/(bucket-w.bucket) + 0.2*w.measured
		w.count, w.bucket = 0, bucket
	}
}

func (w *aws) end(a answer) {
	const beta, scale = 0.7, 0.4
	now := a.now.Seconds()
	var rate float64
	if a.reply.status == 429 || a.reply.status == 503 {
		used := w.measured
		if w.on {
			used = min(used, w.fill)
		}
		w.most, w.begun, w.on = used, now, true
		rate = used * beta
	} else {
		t := now - w.begun - math.Cbrt(w.most*(1-beta)/scale)
		rate = scale*t*t*t + w.most
	}
	w.refill(a.now)
	w.fill = max(min(rate, 2*w.measured), 0.5)
}

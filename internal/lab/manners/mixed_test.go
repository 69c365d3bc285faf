package manners

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

// A mix is a site with a limit of its own that has one trouble after another for ten minutes: refused connections,
// 500, 503 or 504, to all requests or to a part of them, for up to a minute and a half each.
type mix struct {
	limiter
	from  time.Duration
	spans []span
}

// A span is one of these troubles.
type span struct {
	until  time.Duration
	status int
	part   float64
}

func newMix(seed uint64, from time.Duration, parts []float64) *mix {
	m := &mix{limiter: limiter{rate: steady(10), burst: 5, status: 429}, from: from}
	chance, at := rand.New(rand.NewPCG(seed, 3)), from
	for at < m.well() {
		at = min(at+time.Duration(1+chance.IntN(90))*time.Second, m.well())
		m.spans = append(m.spans, span{at, []int{0, 500, 503, 504}[chance.IntN(4)], parts[chance.IntN(len(parts))]})
	}
	return m
}

// well returns when the trouble is over.
func (m *mix) well() time.Duration { return m.from + 10*time.Minute }

func (m *mix) arrive(p page, now time.Duration, chance *rand.Rand) reply {
	for _, s := range m.spans {
		if now >= m.from && now < s.until {
			if chance.Float64() < s.part {
				return refusal(s.status)
			}
			break
		}
	}
	return m.limiter.arrive(p, now, chance)
}

// back returns how long after the trouble a minute begins in which 90% of what the site bears are answered.
func (m *mix) back(l *log) time.Duration {
	bears := min(10, rate(l.trouble, time.Minute)/60)
	for at := m.well(); at+time.Minute <= l.trouble.lasts; at += time.Second {
		if float64(count(l.good, at, at+time.Minute)) >= 0.9*60*bears {
			return at - m.well()
		}
	}
	return l.trouble.lasts - m.well()
}

// A site that is well again after ten minutes of mixed trouble is crawled as before within five minutes, and within
// ten where it was never well before.
func TestWellAgainAfterMixedTrouble(t *testing.T) {
	all, some := []float64{1}, []float64{1, 0.9, 0.7, 0.5, 0.3, 0.1}
	for _, tt := range []struct {
		name   string
		from   time.Duration
		parts  []float64
		within time.Duration
	}{
		{"to all", time.Minute, all, 5 * time.Minute},
		{"to some", time.Minute, some, 5 * time.Minute},
		{"to all from the first page on", 0, all, 10 * time.Minute},
		{"to some from the first page on", 0, some, 10 * time.Minute},
	} {
		for _, n := range []int{1, 4, 16, 200} {
			for seed := range long.Or(4, uint64(20)) {
				t.Run(fmt.Sprintf("%s, %d goroutines, seed %d", tt.name, n, seed), func(t *testing.T) {
					m := newMix(seed, tt.from, tt.parts)
					one := trouble{goroutines: n, lasts: m.well() + tt.within + 2*time.Minute}
					c := newCrawl(m, newPolite(t), n, 1<<30)
					c.seed = seed
					back := m.back(recorded(c, one))
					t.Log(back)
					assert.LessOrEqual(t, back, tt.within)
				})
			}
		}
	}
}

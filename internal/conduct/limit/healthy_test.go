package limit

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/long"
	"github.com/stretchr/testify/assert"
)

// judgedEvery is a site that answers the n-th of each so many requests otherwise.
func judgedEvery(n int, other, usual conduct.Reply) conduct.Site {
	arrived := 0
	return func(time.Duration, string) conduct.Reply {
		if arrived++; arrived%n == 0 {
			return other
		}
		return usual
	}
}

var judgedUsual = conduct.Reply{Takes: 100 * time.Millisecond}

// judgedStatus answers as usual, with another status.
func judgedStatus(status int) conduct.Reply {
	return conduct.Reply{Status: status, Takes: judgedUsual.Takes}
}

// judgedBroken has parts that answer otherwise.
func judgedBroken(broken map[string]conduct.Reply) conduct.Site {
	return func(_ time.Duration, part string) conduct.Reply {
		if reply, ok := broken[part]; ok {
			return reply
		}
		return judgedUsual
	}
}

// judgedMixed pages take from 10 ms to 310 ms.
func judgedMixed() conduct.Site {
	arrived := 0
	return func(time.Duration, string) conduct.Reply {
		arrived++
		return conduct.Reply{Takes: time.Duration(10+arrived*97%300) * time.Millisecond}
	}
}

// judgedSeldomQuick is a site whose pages take up to 600 ms, but one in ten, by chance.
func judgedSeldomQuick() conduct.Site {
	random := rand.New(rand.NewPCG(1, 2))
	return func(time.Duration, string) conduct.Reply {
		if random.IntN(10) == 0 {
			return conduct.Reply{Takes: 10 * time.Millisecond}
		}
		return conduct.Reply{Takes: time.Duration(10+random.IntN(600)) * time.Millisecond}
	}
}

// judgedDrifting pages become slower and quicker by themselves, every ten seconds.
func judgedDrifting(now time.Duration, _ string) conduct.Reply {
	return conduct.Reply{Takes: time.Duration(50+40*(int(now/(10*time.Second))%3)) * time.Millisecond}
}

var judgedParts = []string{"a", "b", "c", "d", "e", "f", "g", "h"}

// A site that bears everything gets as many requests as from a client without manners: within
// 2%, over thousands of pages.
func TestMannersHealthySites(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	for name, site := range map[string]func() conduct.Site{
		"usual": func() conduct.Site { return judgedBroken(nil) },
		"fast": func() conduct.Site {
			return judgedEvery(1, conduct.Reply{Takes: long.Or(20*time.Millisecond, 5*time.Millisecond)}, judgedUsual)
		},
		"slow":                func() conduct.Site { return judgedEvery(1, conduct.Reply{Takes: 800 * time.Millisecond}, judgedUsual) },
		"one in 10 is quick":  judgedSeldomQuick,
		"one in 50 at once":   func() conduct.Site { return judgedEvery(50, conduct.Reply{Takes: 1}, judgedStatus(http.StatusOK)) },
		"mixed":               judgedMixed,
		"drifting":            func() conduct.Site { return judgedDrifting },
		"one in 20 fails":     func() conduct.Site { return judgedEvery(20, judgedStatus(http.StatusInternalServerError), judgedUsual) },
		"one in 20 times out": func() conduct.Site { return judgedEvery(20, judgedStatus(http.StatusGatewayTimeout), judgedUsual) },
		"one in 3 is 404":     func() conduct.Site { return judgedEvery(3, judgedStatus(http.StatusNotFound), judgedUsual) },
		"all are 404":         func() conduct.Site { return judgedEvery(1, judgedStatus(http.StatusNotFound), judgedUsual) },
		"one in 20 is 403":    func() conduct.Site { return judgedEvery(20, judgedStatus(http.StatusForbidden), judgedUsual) },
		"one part is broken": func() conduct.Site {
			return judgedBroken(map[string]conduct.Reply{"c": judgedStatus(http.StatusInternalServerError)})
		},
		"one part is forbidden": func() conduct.Site {
			return judgedBroken(map[string]conduct.Reply{"c": judgedStatus(http.StatusForbidden)})
		},
		"one part is at once": func() conduct.Site {
			return judgedBroken(map[string]conduct.Reply{"c": {Takes: 1}})
		},
		"one part is slow": func() conduct.Site {
			return judgedBroken(map[string]conduct.Reply{"c": {Takes: time.Second}})
		},
	} {
		for _, workers := range []int{1, long.Or(8, 16)} {
			t.Run(fmt.Sprintf("%s, %d workers", name, workers), func(t *testing.T) {
				crawl := judgedCrawl{parts: judgedParts, workers: workers, long: long.Or(10*time.Second, 30*time.Second)}
				crawl.site = site()
				ours := len(crawl.run(t).arrivals)
				crawl.site = site()
				plain := len(crawl.plain().arrivals)
				t.Logf("%d pages, %d without (%.2f%%)", ours, plain, 100*float64(ours)/float64(plain))
				// The ramp doubles thrice, from two at a time: 0.3 s, or three answers, one after the other, where they take longer.
				ramp := max(0.3, 3*float64(workers)*crawl.long.Seconds()/float64(plain))
				assert.GreaterOrEqual(t, float64(ours), 0.98*float64(plain)-ramp*float64(plain)/crawl.long.Seconds(), "within 2%%, beside %.1f s at first", ramp)
			})
		}
	}
}

// A section that breaks while the others are well slows none of them by much.
func TestMannersASectionThatBreaks(t *testing.T) {
	for _, status := range []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusForbidden} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			site := func(now time.Duration, part string) conduct.Reply {
				if part == "c" && now > 10*time.Second {
					return judgedStatus(status)
				}
				return judgedUsual
			}
			crawl := judgedCrawl{site: site, parts: judgedParts, workers: long.Or(4, 16), long: time.Minute}
			ours := len(crawl.run(t).arrivals)
			plain := len(crawl.plain().arrivals)
			t.Logf("%d pages, %d without", ours, plain)
			assert.GreaterOrEqual(t, float64(ours), 0.9*float64(plain))
		})
	}
}

// A crowd of goroutines loses what six or seven pages take, in which the window doubles as often,
// and nothing after it: about 2% over 60,000 pages.
func TestMannersACrowdAtAHealthySite(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, site := range map[string]func() conduct.Site{
		"usual": func() conduct.Site { return judgedBroken(nil) }, "mixed": judgedMixed,
	} {
		t.Run(name, func(t *testing.T) {
			crawl := judgedCrawl{workers: 200, pages: 60_000, long: time.Hour, parts: judgedParts}
			crawl.site = site()
			ours := crawl.run(t).took
			crawl.site = site()
			plain := crawl.plain().took
			t.Logf("%v, %v without", ours, plain)
			assert.LessOrEqual(t, ours, plain+plain/50+300*time.Millisecond)
		})
	}
}

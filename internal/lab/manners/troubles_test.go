package manners

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

// findTrouble returns the trouble with this name.
func findTrouble(t *testing.T, name string) trouble {
	for _, one := range troubles() {
		if one.name == name {
			return one
		}
	}
	t.Fatalf("there is no trouble %q", name)
	return trouble{}
}

// each crawls a site in trouble with two seeds, or with all of them.
func each(t *testing.T, name string, judge func(t *testing.T, l *log)) {
	findTrouble(t, name).each(t, judge)
}

func (one trouble) each(t *testing.T, judge func(t *testing.T, l *log)) {
	for seed := range long.Or(2, uint64(seeds)) {
		t.Run(fmt.Sprintf("%s, seed %d", one.name, seed), func(t *testing.T) {
			c := newCrawl(one.site(), newOurs(t), one.goroutines, 1<<30)
			c.seed = seed
			judge(t, recorded(c, one))
		})
	}
}

// A site of which nothing was ever good is asked little.
func TestDownFromTheFirstPage(t *testing.T) {
	for _, status := range []int{500, 502, 504, 403} {
		each(t, fmt.Sprintf("every page %d from the first on", status), func(t *testing.T, l *log) {
			assert.LessOrEqual(t, l.all, 20)
		})
	}
}

// A page or two that were good hide no dead site: of the requests, 31 find out every ten seconds whether it is back.
func TestDownButForTheFirstPages(t *testing.T) {
	for _, first := range []int{1, 2} {
		each(t, fmt.Sprintf("every page 500 but the first %d", first), func(t *testing.T, l *log) {
			assert.LessOrEqual(t, l.all, 31+20)
		})
	}
}

// After a ban, a third of the speed holds for about three times as long as the ban.
func TestBackAfterABan(t *testing.T) {
	const begins, span = time.Minute, 20 * time.Second
	bans := map[string]time.Duration{"429 to all for 3 min": 3 * time.Minute}
	if long.Or(0, 1) > 0 {
		bans["403 to all for 10 min"] = 10 * time.Minute
	}
	for name, lasts := range bans {
		one := findTrouble(t, name)
		back := begins + lasts + 3*lasts + lasts
		one.lasts = back + span
		one.each(t, func(t *testing.T, l *log) {
			all := rate(l.trouble, span)
			third := float64(count(l.good, begins+lasts+lasts, begins+lasts+lasts+span))
			assert.InDelta(t, 1.0/3, third/all, 0.08)
			assert.GreaterOrEqual(t, float64(count(l.good, back, back+span)), 0.9*all)
		})
	}
}

// Who tells a quota gets no fewer requests than who does not.
func TestQuotaThatIsTold(t *testing.T) {
	for name, perSecond := range map[string]float64{"10 in 1 s, told": 10, "50 in 10 s, told": 5} {
		each(t, name, func(t *testing.T, l *log) {
			assert.GreaterOrEqual(t, float64(count(l.good, time.Minute, l.trouble.lasts)), 0.95*perSecond*(l.trouble.lasts-time.Minute).Seconds())
		})
	}
}

// Half of the pages fail for ever. One goroutine has no limit there, as many have none.
func TestHalfFailsForOneGoroutine(t *testing.T) {
	for _, status := range []int{403, 500} {
		one := findTrouble(t, fmt.Sprintf("%d to half, 1 goroutine", status))
		rude := recorded(newCrawl(one.site(), newNothing(), one.goroutines, 1<<30), one)
		one.each(t, func(t *testing.T, l *log) {
			assert.GreaterOrEqual(t, float64(len(l.good)), 0.95*float64(len(rude.good)))
		})
	}
}

// A section that turns bad stops itself, and not the others.
func TestSectionThatTurnsBad(t *testing.T) {
	for _, status := range []int{429, 503} {
		for n, least := range map[int]float64{4: 0.95, 16: 0.95, 200: 0.9} {
			one := findTrouble(t, fmt.Sprintf("one of seven sections %d after a minute, %d goroutines", status, n))
			rude := recorded(newCrawl(one.site(), newNothing(), n, 1<<30), one)
			one.each(t, func(t *testing.T, l *log) {
				from, to := 2*time.Minute, one.lasts
				assert.GreaterOrEqual(t, float64(count(l.good, from, to)), least*float64(count(rude.good, from, to)))
			})
		}
	}
}

// A site that is well again after ten minutes of trouble is crawled as before: soon if it has answered
// some requests well meanwhile.
func TestWellAgain(t *testing.T) {
	for name, within := range map[string]time.Duration{"503 to 50% for ten minutes": 5 * time.Minute, "503 to 10% for ten minutes": 5 * time.Minute, "503 to all for ten minutes": 5 * time.Minute} {
		const well, span = 11 * time.Minute, 20 * time.Second
		one := findTrouble(t, name)
		one.lasts = well + within + span
		one.each(t, func(t *testing.T, l *log) {
			assert.GreaterOrEqual(t, float64(count(l.good, well+within, well+within+span)), 0.9*rate(l.trouble, span))
		})
	}
}

// Refusals that come by chance, at any rate, are no limit.
func TestChanceIsNoLimit(t *testing.T) {
	for name, least := range map[string]float64{"503 to 1% for ever": 0.95, "503 to 10% for ever": 0.95, "503 to 20% for ever": 0.95, "503 to 40% for ever": 0.65} {
		one := findTrouble(t, name)
		one.lasts = long.Or(10*time.Minute, 30*time.Minute)
		rude := recorded(newCrawl(one.site(), newNothing(), one.goroutines, 1<<30), one)
		one.each(t, func(t *testing.T, l *log) {
			from, to := 5*time.Minute, one.lasts
			assert.GreaterOrEqual(t, float64(count(l.good, from, to)), least*float64(count(rude.good, from, to)))
		})
	}
}

// A limit that is told in windows is found.
func TestWindows(t *testing.T) {
	each(t, "50 in 10 s", func(t *testing.T, l *log) {
		assert.GreaterOrEqual(t, float64(count(l.good, time.Minute, l.trouble.lasts)), 0.8*5*(l.trouble.lasts-time.Minute).Seconds())
	})
}

// A site that was too busy from the first page on, and of which nothing is known, is crawled soon after.
func TestBusyFromTheFirstPage(t *testing.T) {
	for _, status := range []int{429, 403} {
		const well, span = 15 * time.Minute, 20 * time.Second
		one := findTrouble(t, fmt.Sprintf("%d to all for the first ten minutes", status))
		one.lasts = well + span
		one.each(t, func(t *testing.T, l *log) {
			assert.GreaterOrEqual(t, float64(count(l.good, well, well+span)), 0.9*rate(l.trouble, span))
		})
	}
}

// A limit is used also where pages take long and many goroutines wait for them.
func TestSlowPagesUnderALimit(t *testing.T) {
	for name, least := range map[string]float64{"20/s, pages of 1s, 200 goroutines": 0.88 * 20, "20/s, pages of 5s, 200 goroutines": 0.69 * 20, "100/s, pages of 1s, 200 goroutines": 0.55 * 100} {
		each(t, name, func(t *testing.T, l *log) {
			const from = time.Minute
			assert.GreaterOrEqual(t, float64(count(l.good, from, l.trouble.lasts)), least*(l.trouble.lasts-from).Seconds())
		})
	}
}

// Of many requests under way, those that are refused are answered first. That is no row.
func TestRowsOfManyGoroutines(t *testing.T) {
	one := findTrouble(t, "403 to half, 200 goroutines")
	one.lasts = time.Minute
	rude := recorded(newCrawl(one.site(), newNothing(), one.goroutines, 1<<30), one)
	for seed := range long.Or(2, uint64(seeds)) {
		c := newCrawl(one.site(), newOurs(t), one.goroutines, 1<<30)
		c.seed = seed
		assert.GreaterOrEqual(t, float64(len(recorded(c, one).good)), 0.98*float64(len(rude.good)), "seed %d", seed)
	}
}

// A limit is found whatever status says it.
func TestLimitSaidByAnotherStatus(t *testing.T) {
	for _, status := range []int{403, 500} {
		each(t, fmt.Sprintf("5/s, said by %d", status), func(t *testing.T, l *log) {
			assert.GreaterOrEqual(t, count(l.good, 2*time.Minute, l.trouble.lasts), 28*60*5*95/100)
			assert.LessOrEqual(t, l.all-len(l.good), l.all*2/100)
		})
	}
}

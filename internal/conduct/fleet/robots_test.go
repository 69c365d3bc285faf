package fleet

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// impatience is how the callers of a fleet give up.
type impatience struct {
	name  string
	pages int // in 40 s, at least
	edit  func(*polite.Transport)
	visit func(ctx context.Context, tr *polite.Transport, url string) error
}

func impatiences() []impatience {
	const longest = 3 * time.Second
	plainly := func(ctx context.Context, tr *polite.Transport, url string) error {
		return conduct.Visit(ctx, conduct.Client(tr), url)
	}
	return []impatience{
		{"MaxWait", 20, func(tr *polite.Transport) { tr.Pace.MaxWait = longest }, plainly},
		{"a deadline", 20, nil, func(ctx context.Context, tr *polite.Transport, url string) error {
			ctx, cancel := context.WithTimeout(ctx, longest)
			defer cancel()
			return conduct.Visit(ctx, conduct.Client(tr), url)
		}},
		{"a timeout of the client", 20, nil, func(ctx context.Context, tr *polite.Transport, url string) error {
			return conduct.Visit(ctx, &http.Client{Transport: tr, Timeout: longest}, url)
		}},
		{"a cancel", 1, nil, func(ctx context.Context, tr *polite.Transport, url string) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			time.AfterFunc(longest, cancel)
			return conduct.Visit(ctx, conduct.Client(tr), url)
		}},
	}
}

// A robots.txt that takes longer than callers wait is learnt all the same, by a few fetches at
// most, and then pages flow.
func TestFleetLearnsASlowRobotsTxt(t *testing.T) {
	long.NotShort(t)
	for _, way := range impatiences() {
		for _, processes := range []int{1, 4, 12} {
			for _, workers := range []int{1, 4} {
				t.Run(fmt.Sprintf("%s, %d processes, %d workers", way.name, processes, workers), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { way.learns(t, processes, workers) })
				})
			}
		}
	}
}

func (way impatience) learns(t *testing.T, processes, workers int) {
	const answers, gap = 5 * time.Second, 500 * time.Millisecond
	c := conduct.NewCrew(t)
	c.Web.Robots("example.com", origintest.Delay(answers, origintest.Text(conduct.Rules)))
	c.Joins(processes, paced(gap, 0))
	ctx, stop := context.WithCancel(t.Context())
	for _, m := range c.Members {
		if way.edit != nil {
			way.edit(m.Tr)
		}
		for range workers {
			c.Under.Go(func() {
				for ctx.Err() == nil {
					err := way.visit(ctx, m.Tr, "http://example.com"+m.Page())
					origintest.Wait(ctx, min(conduct.UntilAgain(err), 5*time.Second))
				}
			})
		}
	}
	time.Sleep(40 * time.Second)
	stop()
	c.Under.Wait()
	fetches, pages := c.Web.Log().Robots(), c.Web.Log().Pages()
	t.Logf("%d fetches, %d pages", len(fetches), len(pages))
	assert.LessOrEqual(t, len(fetches), 3, "fetches of robots.txt")
	assert.NotEmpty(t, pages)
	if len(pages) > 0 {
		assert.Less(t, pages[0].Time.Sub(c.Began), 12*time.Second, "the first page")
		assert.GreaterOrEqual(t, len(pages), way.pages, "pages in 40 s")
	}
	assert.Empty(t, conduct.TooClose(pages, gap))
}

// One that dies while it fetches costs one lease.
func TestFleetLearnsRobotsTxtAfterOneDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		c.Web.Robots("example.com", origintest.Delay(5*time.Second, origintest.Text(conduct.Rules)))
		c.Joins(4, paced(500*time.Millisecond, 0))
		dying := c.Members[0]
		ctx, stop := context.WithCancel(t.Context())
		dying.Crawl(ctx, 1, "example.com")
		time.Sleep(time.Second)
		dying.Leave() // and never comes back
		for _, m := range c.Members[1:] {
			m.Crawl(ctx, 2, "example.com")
		}
		time.Sleep(50 * time.Second)
		stop()
		c.Under.Wait()
		assert.LessOrEqual(t, len(c.Web.Log().Robots()), 3, "fetches of robots.txt")
		assert.Greater(t, len(c.Web.Log().Pages()), 20)
	})
}

package conduct_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
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
	plainly := func(ctx context.Context, tr *polite.Transport, url string) error { return visit(ctx, client(tr), url) }
	return []impatience{
		{"MaxWait", 20, func(tr *polite.Transport) { tr.Pace.MaxWait = longest }, plainly},
		{"a deadline", 20, nil, func(ctx context.Context, tr *polite.Transport, url string) error {
			ctx, cancel := context.WithTimeout(ctx, longest)
			defer cancel()
			return visit(ctx, client(tr), url)
		}},
		{"a timeout of the client", 20, nil, func(ctx context.Context, tr *polite.Transport, url string) error {
			return visit(ctx, &http.Client{Transport: tr, Timeout: longest}, url)
		}},
		{"a cancel", 1, nil, func(ctx context.Context, tr *polite.Transport, url string) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			time.AfterFunc(longest, cancel)
			return visit(ctx, client(tr), url)
		}},
	}
}

// A robots.txt that takes longer than callers wait is learnt all the same, by a few fetches at
// most, and then pages flow.
func TestFleetLearnsASlowRobotsTxt(t *testing.T) {
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
	c := newCrew(t)
	c.web.Robots("example.com", origintest.Delay(answers, origintest.Text(rules)))
	c.joins(processes, paced(gap, 0))
	ctx, stop := context.WithCancel(t.Context())
	for _, m := range c.members {
		if way.edit != nil {
			way.edit(m.tr)
		}
		for range workers {
			c.under.Go(func() {
				for ctx.Err() == nil {
					err := way.visit(ctx, m.tr, "http://example.com"+m.page())
					origintest.Wait(ctx, min(untilAgain(err), 5*time.Second))
				}
			})
		}
	}
	time.Sleep(40 * time.Second)
	stop()
	c.under.Wait()
	fetches, pages := c.web.Log().Robots(), c.web.Log().Pages()
	t.Logf("%d fetches, %d pages", len(fetches), len(pages))
	assert.LessOrEqual(t, len(fetches), 3, "fetches of robots.txt")
	assert.NotEmpty(t, pages)
	if len(pages) > 0 {
		assert.Less(t, pages[0].Time.Sub(c.began), 12*time.Second, "the first page")
		assert.GreaterOrEqual(t, len(pages), way.pages, "pages in 40 s")
	}
	assert.Empty(t, tooClose(pages, gap))
}

// One that dies while it fetches costs one lease.
func TestFleetLearnsRobotsTxtAfterOneDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		c.web.Robots("example.com", origintest.Delay(5*time.Second, origintest.Text(rules)))
		c.joins(4, paced(500*time.Millisecond, 0))
		dying := c.members[0]
		ctx, stop := context.WithCancel(t.Context())
		dying.crawl(ctx, 1, "example.com")
		time.Sleep(time.Second)
		dying.leave() // and never comes back
		for _, m := range c.members[1:] {
			m.crawl(ctx, 2, "example.com")
		}
		time.Sleep(50 * time.Second)
		stop()
		c.under.Wait()
		assert.LessOrEqual(t, len(c.web.Log().Robots()), 3, "fetches of robots.txt")
		assert.Greater(t, len(c.web.Log().Pages()), 20)
	})
}

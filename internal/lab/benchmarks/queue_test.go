package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/queue"
	"github.com/gocolly/colly/v2"
	collyqueue "github.com/gocolly/colly/v2/queue"
)

func isSlow(site int) bool { return site%10 == 0 }

func host(site int) string {
	if isSlow(site) {
		return fmt.Sprintf("slow%d.example", site)
	}
	return fmt.Sprintf("quick%d.example", site)
}

// newSites returns 50 sites, which answer after 100 ms. Five of them ask for ten seconds between two requests.
func newSites(t *testing.T) *origintest.Server {
	web := origintest.NewInMemory(t)
	web.Others(origintest.Delay(100*time.Millisecond, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/robots.txt":
			io.WriteString(w, "a page")
		case strings.HasPrefix(r.Host, "slow"):
			io.WriteString(w, "user-agent: *\ncrawl-delay: 10\n")
		default:
			http.NotFound(w, r)
		}
	}))
	return web
}

// TestQueue compares package queue with the queue of colly, in virtual time: 1,000 pages of 50 sites in the
// random order in which a crawl finds them, and 16 workers. A worker of colly waits for a slow site.
func TestQueue(t *testing.T) {
	const workers, pages = 16, 20
	var urls []string
	for i := range 50 * pages {
		urls = append(urls, fmt.Sprintf("http://%s/%d", host(i%50), i/50))
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(urls), func(i, j int) { urls[i], urls[j] = urls[j], urls[i] })
	quick := make(map[string]time.Duration)
	for name, crawl := range map[string]func(*testing.T, http.RoundTripper, []string, int){"polite": byPolite, "colly": byColly} {
		synctest.Test(t, func(t *testing.T) {
			web, start := newSites(t), time.Now()
			crawl(t, web.Transport(t), urls, workers)
			arrived := web.Log().Pages()
			for _, a := range arrived {
				if strings.HasPrefix(a.Host, "quick") {
					quick[name] = a.Time.Sub(start) + 100*time.Millisecond
				}
			}
			t.Logf("%s: the pages of the 45 quick sites are there after %v, and all after %v", name, quick[name], time.Since(start))
			if len(arrived) != len(urls) {
				t.Errorf("%s: %d pages of %d", name, len(arrived), len(urls))
			}
		})
	}
	if most := 10 * time.Second; quick["polite"] > most || quick["colly"] < 3*most {
		t.Errorf("the pages of quick sites are there after %v", quick)
	}
}

func byPolite(t *testing.T, base http.RoundTripper, urls []string, workers int) {
	q := queue.Queue[int]{Client: &http.Client{Transport: &polite.Transport{UserAgent: "ExampleBot/1.0", Base: base}}}
	for i, url := range urls {
		if err := q.Push(url, i); err != nil {
			t.Fatal(err)
		}
	}
	err := q.Run(t.Context(), workers, func(_ context.Context, _ queue.Item[int], _ *http.Response, err error) error { return err })
	if err != nil {
		t.Error(err)
	}
}

func byColly(t *testing.T, base http.RoundTripper, urls []string, workers int) {
	c := colly.NewCollector()
	c.WithTransport(base)
	for site := 0; site < 50; site++ {
		if isSlow(site) {
			if err := c.Limit(&colly.LimitRule{DomainGlob: host(site), Delay: 10 * time.Second, Parallelism: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	q, err := collyqueue.New(workers, &collyqueue.InMemoryQueueStorage{MaxSize: len(urls)})
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range urls {
		if err := q.AddURL(url); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Run(c); err != nil {
		t.Error(err)
	}
}

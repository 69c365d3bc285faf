package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/queue"
	"github.com/gocolly/colly/v2"
	collyqueue "github.com/gocolly/colly/v2/queue"
)

// sites is a Base that plays 50 sites, which answer after 100 ms. Five of them ask for ten seconds between
// two requests. It notes when a page of the others came last, and how many requests it had.
type sites struct {
	start time.Time
	mu    sync.Mutex
	quick time.Duration
	pages int
}

func isSlow(site int) bool { return site%10 == 0 }

func host(site int) string {
	if isSlow(site) {
		return fmt.Sprintf("slow%d.example", site)
	}
	return fmt.Sprintf("quick%d.example", site)
}

func (s *sites) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(100 * time.Millisecond)
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: req}
	slow, text := strings.HasPrefix(req.URL.Host, "slow"), "a page"
	switch {
	case req.URL.Path != "/robots.txt":
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.pages++; !slow {
			s.quick = time.Since(s.start)
		}
	case slow:
		text = "user-agent: *\ncrawl-delay: 10\n"
	default:
		resp.StatusCode = http.StatusNotFound
	}
	resp.Body = io.NopCloser(strings.NewReader(text))
	return resp, nil
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
	for name, crawl := range map[string]func(*testing.T, *sites, []string, int){"polite": byPolite, "colly": byColly} {
		synctest.Test(t, func(t *testing.T) {
			s := &sites{start: time.Now()}
			crawl(t, s, urls, workers)
			quick[name] = s.quick
			t.Logf("%s: the pages of the 45 quick sites are there after %v, and all after %v", name, s.quick, time.Since(s.start))
			if s.pages != len(urls) {
				t.Errorf("%s: %d pages of %d", name, s.pages, len(urls))
			}
		})
	}
	if most := 10 * time.Second; quick["polite"] > most || quick["colly"] < 3*most {
		t.Errorf("the pages of quick sites are there after %v", quick)
	}
}

func byPolite(t *testing.T, base *sites, urls []string, workers int) {
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

func byColly(t *testing.T, base *sites, urls []string, workers int) {
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

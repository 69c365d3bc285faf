package conduct_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A healthySite answers any number of requests at the same time: by its numbers with a status,
// after some time.
type healthySite struct {
	name   string
	answer func(n int, random *rand.Rand) (path string, status int, takes time.Duration)
}

var healthySites = []healthySite{
	{"fast", func(int, *rand.Rand) (string, int, time.Duration) { return "/", 200, 5 * time.Millisecond }},
	{"slow", func(int, *rand.Rand) (string, int, time.Duration) { return "/", 200, 800 * time.Millisecond }},
	{"mixed", func(_ int, random *rand.Rand) (string, int, time.Duration) {
		return "/", 200, time.Duration(20+random.ExpFloat64()*200) * time.Millisecond
	}},
	{"one quick page in ten", func(_ int, random *rand.Rand) (string, int, time.Duration) {
		if random.IntN(10) == 0 {
			return "/quick/", 200, 10 * time.Millisecond
		}
		return "/slow/", 200, time.Duration(10+random.IntN(600)) * time.Millisecond
	}},
	{"one page in ten at once", func(n int, _ *rand.Rand) (string, int, time.Duration) {
		if n%10 == 0 {
			return "/quick/", 200, 0
		}
		return "/slow/", 200, 300 * time.Millisecond
	}},
	{"one page in 50 at once, by chance", func(_ int, random *rand.Rand) (string, int, time.Duration) {
		if random.IntN(50) == 0 {
			return "/quick/", 200, 0
		}
		return "/slow/", 200, 300 * time.Millisecond
	}},
	{"5% fail with 500", func(_ int, random *rand.Rand) (string, int, time.Duration) {
		if random.IntN(20) == 0 {
			return "/", 500, 50 * time.Millisecond
		}
		return "/", 200, 50 * time.Millisecond
	}},
	{"30% are 404", func(_ int, random *rand.Rand) (string, int, time.Duration) {
		if random.IntN(10) < 3 {
			return "/", 404, 50 * time.Millisecond
		}
		return "/", 200, 50 * time.Millisecond
	}},
	{"one broken section", func(n int, _ *rand.Rand) (string, int, time.Duration) {
		if n%6 == 0 {
			return "/broken/", 500, 50 * time.Millisecond
		}
		return "/well/", 200, 50 * time.Millisecond
	}},
}

// crawl returns how long workers take for so many pages of s.
func (s *healthySite) crawl(t *testing.T, workers, pages int, backoff polite.Backoff) (took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		takes, statuses := make([]time.Duration, pages), make([]int, pages)
		paths, random := make([]string, pages), rand.New(rand.NewPCG(1, 2))
		for i := range pages {
			paths[i], statuses[i], takes[i] = s.answer(i, random)
		}
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			status := http.StatusNotFound
			if page, ok := req.Context().Value(pageNumber{}).(int); ok {
				time.Sleep(takes[page])
				status = statuses[page]
			}
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
		})
		tr := &polite.Transport{UserAgent: userAgent, Base: base, Pace: polite.Pace{Backoff: backoff}}
		start := time.Now()
		var next, failed atomic.Int64
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for i := int(next.Add(1)) - 1; i < pages; i = int(next.Add(1)) - 1 {
					if s.get(t, tr, paths[i], i) != statuses[i] {
						failed.Add(1)
					}
				}
			})
		}
		all.Wait()
		took = time.Since(start)
		require.Zero(t, failed.Load())
	})
	return took
}

type pageNumber struct{}

func (*healthySite) get(t *testing.T, tr *polite.Transport, path string, number int) (status int) {
	ctx := context.WithValue(t.Context(), pageNumber{}, number)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprint("http://example.com", path, number), nil)
	if err != nil {
		return 0
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

// A healthy site loses at most 2%. The ramp costs 0.3 s once, or ten answers, one after the
// other, where they take longer.
func TestBackoffAtHealthySites(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	for _, s := range healthySites {
		for _, workers := range []int{1, 16, 200} {
			t.Run(fmt.Sprintf("%s, %d workers", s.name, workers), func(t *testing.T) {
				pages := long.Or(min(400*workers, 20_000), 60_000)
				with, without := s.crawl(t, workers, pages, polite.Backoff{}), s.crawl(t, workers, pages, polite.Backoff{Off: true})
				t.Logf("%v, %v without", with, without)
				ramp := max(300*time.Millisecond, 10*without*time.Duration(workers)/time.Duration(pages))
				assert.LessOrEqual(t, with, without+without/50+ramp)
			})
		}
	}
}

package sites_test

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/sites"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crawl fetches pages of hosts in turn, all at the same time, and returns when they
// arrived. Each page takes a while.
func crawl(t *testing.T, text string, takes time.Duration, n int, bases ...string) origintest.Log {
	web := origintest.NewInMemory(t)
	table, err := sites.Parse("sites.txt", text)
	require.NoError(t, err)
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)", Base: web.Transport(t), Sites: table.Site}
	client := &http.Client{Transport: transport}
	var crowd sync.WaitGroup
	for i := range n {
		crowd.Go(func() {
			resp, err := client.Get(fmt.Sprintf("%s/%d", bases[i%len(bases)], i))
			if assert.NoError(t, err) {
				time.Sleep(takes)
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
	crowd.Wait()
	return web.Log().Pages()
}

// within asserts that all gaps are between two durations, and that chance plays a part if
// these are not the same.
func within(t *testing.T, log origintest.Log, least, most time.Duration) {
	different := make(map[time.Duration]bool)
	for i := 1; i < len(log); i++ {
		gap := log[i].Time.Sub(log[i-1].Time)
		assert.GreaterOrEqual(t, gap, least)
		assert.LessOrEqual(t, gap, most)
		different[gap] = true
	}
	assert.Equal(t, least != most, len(different) > 1)
}

// In colly: LimitRule{DomainGlob: "*httpbin.*", Delay: 5s, RandomDelay: 5s, Parallelism:
// 2}. All domains that match share two parallel requests. Each of these waits for Delay
// and a random part of RandomDelay.
func TestColly(t *testing.T) {
	const rule = "*httpbin.* delay=2.5s jitter=1 concurrency=2 together"
	bases := []string{"http://www.httpbin.org", "https://eu.httpbin.example", "http://httpbin.org"}
	t.Run("delays", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			within(t, crawl(t, rule, 0, 30, bases...), 2500*time.Millisecond, 5*time.Second)
		})
	})
	t.Run("parallelism", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			log := crawl(t, rule, time.Minute, 10, bases...)
			for i := 2; i < len(log); i++ {
				assert.GreaterOrEqual(t, log[i].Time.Sub(log[i-2].Time), time.Minute, "two at a time")
			}
			assert.Less(t, log[1].Time.Sub(log[0].Time), time.Minute)
		})
	})
}

// In Scrapy: DOWNLOAD_SLOTS = {"example.com": {"concurrency": 2, "delay": 2,
// "randomize_delay": True, "throttle": True}}. A slot is for all schemes and ports of a
// host.
func TestScrapy(t *testing.T) {
	bases := []string{"http://example.com", "https://example.com"}
	for settings, gaps := range map[string][2]time.Duration{
		"delay=2s":          {2 * time.Second, 2 * time.Second}, // "randomize_delay": False
		"delay=1s jitter=2": {time.Second, 3 * time.Second},     // between 0.5 and 1.5 times the delay
	} {
		synctest.Test(t, func(t *testing.T) {
			log := crawl(t, "example.com concurrency=2 together "+settings, 0, 30, bases...)
			within(t, log, gaps[0], gaps[1])
		})
	}
}

package benchmarks

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/redis/rueidis"
)

// How many commands the server gets for each request, once robots.txt is known.
func BenchmarkCommands(b *testing.B) {
	site := httptest.NewServer(http.NotFoundHandler())
	b.Cleanup(site.Close)
	for _, test := range []struct {
		name string
		pace polite.Pace
	}{
		{"nothing asked for", polite.Pace{}},
		{"gap", polite.Pace{MinDelay: 20 * time.Millisecond}},
		{"gap and slots", polite.Pace{MinDelay: 20 * time.Millisecond, Concurrency: 2}},
	} {
		b.Run(test.name, func(b *testing.B) {
			address := startServer(b)
			fleet, admin := open(b, address), connect(b, address)
			client := &http.Client{Transport: &polite.Transport{
				UserAgent: "examplebot/1.0 (+https://example.org/bot)",
				Cache:     &polite.Cache{Store: fleet}, Pace: test.pace,
			}}
			get := func() {
				response, err := client.Get(site.URL)
				if err != nil {
					b.Fatal(err)
				}
				response.Body.Close()
			}
			for range 3 {
				get()
				time.Sleep(300 * time.Millisecond) // the fleet begins to hear
			}
			const requests = 100
			for b.Loop() {
				before := commands(b, admin)
				for range requests {
					get()
				}
				b.ReportMetric(float64(commands(b, admin)-before)/requests, "commands/request")
			}
		})
	}
}

// commands returns how many scripts ran, without the beats by which processes hear.
func commands(b *testing.B, admin rueidis.Client) int64 {
	info, err := admin.Do(b.Context(), admin.B().Info().Section("commandstats").Build()).ToString()
	if err != nil {
		b.Fatal(err)
	}
	counts := make(map[string]int64)
	for line := range strings.Lines(info) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":")
		var n int64
		if _, err := fmt.Sscanf(rest, "calls=%d", &n); err == nil {
			counts[name] = n
		}
	}
	return counts["evalsha"] + counts["eval"] - counts["publish"]
}

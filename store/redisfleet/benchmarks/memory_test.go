package benchmarks

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/redis/rueidis"
)

const bytesOf = 50_000 // lanes or origins are measured at once

// What a lane needs in the server, with the key, its expiry and the server's tables: with one
// start that is reserved, and with six.
func BenchmarkLaneBytes(b *testing.B) {
	for _, starts := range []int{1, 6} {
		b.Run(fmt.Sprint(starts), func(b *testing.B) {
			address := startServer(b)
			fleet, client := open(b, address), connect(b, address)
			for b.Loop() {
				b.ReportMetric(bytesOfEach(b, client, func(name string) error {
					for i := range starts {
						ask := store.Ask{Token: fmt.Sprint(name, i), Gap: time.Hour, Slack: 5 * time.Millisecond}
						if _, err := fleet.Take(b.Context(), "origin "+name, ask); err != nil {
							return err
						}
					}
					return nil
				}), "B/lane")
			}
		})
	}
}

// What an origin needs in the server, beside the octets of its entry.
func BenchmarkOriginBytes(b *testing.B) {
	address := startServer(b)
	fleet, client := open(b, address), connect(b, address)
	entry := make([]byte, 520)
	for b.Loop() {
		b.ReportMetric(bytesOfEach(b, client, func(name string) error {
			claim, err := fleet.Claim(b.Context(), "examplebot "+name, "", time.Minute)
			if err != nil {
				return err
			}
			return fleet.Put(b.Context(), "examplebot "+name, claim.Token, entry, 24*time.Hour)
		})-float64(len(entry)), "B/origin")
	}
}

// bytesOfEach returns by how much the memory of an empty server grows with each f.
func bytesOfEach(b *testing.B, client rueidis.Client, f func(name string) error) float64 {
	client.Do(b.Context(), client.B().Flushall().Build())
	before := usedMemory(b, client)
	for i := range bytesOf {
		if err := f(fmt.Sprint("https://www.example", i, ".org:443")); err != nil {
			b.Fatal(err)
		}
	}
	return (usedMemory(b, client) - before) / bytesOf
}

func usedMemory(b *testing.B, client rueidis.Client) (n float64) {
	info, err := client.Do(b.Context(), client.B().Info().Section("memory").Build()).ToString()
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(info) {
		fmt.Sscanf(line, "used_memory:%g", &n)
	}
	return n
}

package told

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSize(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0 B", 1: "1 B", 999: "999 B", 999.6: "1.0 kB", 1000: "1.0 kB", 1250: "1.2 kB", 99_940: "99.9 kB", 99_960: "100 kB",
		450_000: "450 kB", 999_499: "999 kB", 999_500: "1.0 MB", 3_400_000: "3.4 MB", 12e9: "12.0 GB", math.MaxInt64: "9.2 EB", 1e22: "10000 EB",
	} {
		assert.Equal(t, want, size(n), n)
	}
}

func TestOften(t *testing.T) {
	for n, want := range map[float64]string{0.001: "1/min", 0.05: "3/min", 0.9: "54/min", 0.96: "1/s", 12.4: "12/s", 20_000: "20000/s"} {
		assert.Equal(t, want, often(n), n)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 5400 * time.Millisecond: "5s", 200 * time.Second: "3m20s", 65*time.Minute + 29*time.Second: "1h5m", 99 * time.Hour: "99h0m",
	} {
		assert.Equal(t, want, duration(d))
	}
}

//go:build !unix

package simulation_test

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// cpuTime returns about the time that the process has computed.
func cpuTime() time.Duration {
	runtime.GC() // brings the figures up to date
	samples := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(samples)
	return time.Duration((samples[0].Value.Float64() - samples[1].Value.Float64()) * float64(time.Second))
}

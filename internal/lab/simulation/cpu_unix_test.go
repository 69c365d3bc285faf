//go:build unix

package simulation_test

import (
	"syscall"
	"time"
)

// cpuTime returns the time that the process has computed.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

//go:build unix

package benchmarks

import (
	"syscall"
	"time"
)

// ownTime returns how much processor time this process has used, in seconds.
func ownTime() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

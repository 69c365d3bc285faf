package tester

import (
	"runtime"
	"sync"
)

// each gives each processor its share of n pieces of work.
func each(n int, do func(from, to int)) {
	share := n/runtime.GOMAXPROCS(0) + 1
	var work sync.WaitGroup
	for from := 0; from < n; from += share {
		work.Go(func() { do(from, min(from+share, n)) })
	}
	work.Wait()
}

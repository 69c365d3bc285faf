package main

import (
	"flag"
	"os"
	"testing"
)

// TestMain leaves a short run out. A crawl here has one goroutine: the race detector would take
// minutes to find nothing.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		os.Exit(0)
	}
	m.Run()
}

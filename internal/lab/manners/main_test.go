package manners

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	table  = flag.Bool("table", false, "print how clients treat sites")
	ill    = flag.Bool("troubles", false, "print how polite fares at sites in trouble")
	folder = flag.String("svg", "", "draw pictures into this `folder`, as seen from the root")
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

// TestPrint is a command: only tests have virtual time.
func TestPrint(t *testing.T) {
	if *table {
		require.NoError(t, printTable(t, os.Stdout))
	}
	if *ill {
		require.NoError(t, printTroubles(t, os.Stdout))
	}
	if *folder != "" {
		require.NoError(t, drawAll(t, "../../../"+*folder))
	}
}

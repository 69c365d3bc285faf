package timeline_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/timeline"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the drawings to the golden files")

const ms = time.Millisecond

// page is a request for a page; after is told to wait.
func page(at time.Duration, process int) timeline.Arrival {
	return timeline.Arrival{At: at, Process: process, Status: 200}
}

func after(at time.Duration, process int) timeline.Arrival {
	return timeline.Arrival{At: at, Process: process, Status: 503}
}

func robots(at time.Duration, process int) timeline.Arrival {
	return timeline.Arrival{At: at, Process: process, Status: 200, Robots: true}
}

func logs() map[string]*timeline.Log {
	return map[string]*timeline.Log{
		"fleet": {
			Processes: 3, Gap: 400 * ms, Length: 6 * time.Second,
			Arrivals: []timeline.Arrival{
				robots(0, 1), page(5*ms, 0), page(412*ms, 1), page(820*ms, 2), page(1230*ms, 0), page(2040*ms, 2), after(2450*ms, 0),
				page(4600*ms, 2), page(5010*ms, 0), page(5420*ms, 2), page(6000*ms, 0),
			},
			Killed: []timeline.Span{{Process: 1, From: 1500 * ms, To: 6 * time.Second}},
			Paused: []timeline.Span{{Process: 2, From: 2100 * ms, To: 3500 * ms}},
			Breaks: []timeline.Span{{Process: 0, From: 2451 * ms, To: 4451 * ms}},
		},
		"nothing": {Processes: 2},
		"broken": {
			Processes: 1, Gap: 400 * ms, Length: 20 * time.Second,
			Arrivals: []timeline.Arrival{robots(0, 0), robots(1*ms, 0), page(5*ms, 0), page(402*ms, 0), after(900*ms, 0), page(1500*ms, 0), page(30*time.Second, 0)},
			Breaks:   []timeline.Span{{Process: 0, From: 901 * ms, To: 1901 * ms}},
		},
	}
}

// The drawings are what testdata says. After a change that is meant, write it anew:
//
//	go test ./cmd/politefleet/internal/timeline -update
func TestDrawings(t *testing.T) {
	for name, log := range logs() {
		golden(t, name+".txt", log.Text())
		golden(t, name+".svg", log.SVG())
		for line := range strings.Lines(log.Text()) {
			assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 80, "%s: %s", name, line)
			assert.Equal(t, strings.TrimRight(line, " \n")+"\n", line, name)
		}
		wellFormed(t, log.SVG())
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, name)
}

// wellFormed checks that a picture is XML, has words for those who do not see it, and
// nothing that acts.
func wellFormed(t *testing.T, picture string) {
	t.Helper()
	elements := make(map[string]bool)
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local] = true
		}
	}
	assert.Subset(t, elements, map[string]bool{"title": true, "desc": true})
	assert.NotContains(t, elements, "script")
	assert.Contains(t, picture, "prefers-color-scheme: dark")
}

func TestFacts(t *testing.T) {
	all := logs()
	assert.Equal(t, timeline.Facts{Pages: 10, Robots: 1, Shortest: 407 * ms}, all["fleet"].Facts())
	assert.Empty(t, all["fleet"].Broken())
	assert.Equal(t, timeline.Facts{Pages: 5, Robots: 2, Shortest: 397 * ms, InBreaks: 1}, all["broken"].Facts())
	assert.Equal(t, []string{"two requests were only 397 ms apart", "robots.txt was asked for 2 times", "1 requests came in a break"}, all["broken"].Broken())
	assert.Equal(t, []string{"robots.txt was asked for 0 times"}, all["nothing"].Broken())
}

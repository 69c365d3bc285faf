package restart_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

var (
	origins = flag.Int("origins", 42, "hosts of the crawl")
	kills   = flag.Int("kills", 20, "how often the crawler is killed")
)

// TestMain makes the test binary the crawler, if the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv(asCrawler) != "" {
		orderOf(os.Args[1:]).process()
		return
	}
	os.Exit(m.Run())
}

// A crawler that is killed and started again keeps its promises to all sites: see the
// package's documentation.
func TestRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory(t, play)
		h.run(t, "")
		h.judge(t)
	})
}

// The same of real processes that are killed at any moment, and a web on sockets. The judge
// measures times, so how much it excuses depends on the machine.
func TestKilledProcesses(t *testing.T) {
	long.Only(t)
	h := newHistory(t, start)
	server := httptest.NewServer(h.web)
	defer server.Close()
	h.run(t, server.Listener.Addr().String())
	h.judge(t)
}

// A history is all lives of a crawler.
type history struct {
	start     func(*testing.T, *web, order) *process
	web       *web
	random    *rand.Rand
	file      string
	processes []*process
	lives     []life
}

func newHistory(t *testing.T, start func(*testing.T, *web, order) *process) *history {
	seed := long.Seed(t)
	return &history{
		start: start, web: newWeb(seed), random: rand.New(rand.NewPCG(seed, 1)), file: filepath.Join(t.TempDir(), "remembered"),
	}
}

// An ending is why and when a life of the crawler ends.
type ending int

const (
	killedSoon    ending = iota // before a batch has to be written
	killedLater                 // after one
	killedAtBreak               // as soon as a caller knows of a break
	stopped
)

// endings returns how lives end: one of ten is stopped, and the last one.
func (h *history) endings() (all []ending) {
	for i := range *kills {
		all = append(all, ending(i%int(stopped)))
	}
	for range 1 + *kills/10 {
		all = append(all, stopped)
	}
	h.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return append(all, stopped)
}

func (h *history) run(t *testing.T, address string) {
	all := h.endings()
	for i, how := range all {
		hosts := *origins/2 + *origins*i/len(all)/2         // some are new in each life
		h.web.calm(how == killedSoon || how == killedLater) // so that nothing but time makes the crawler write
		p := h.start(t, h.web, order{life: i, hosts: hosts, web: address, file: h.file})
		time.Sleep(time.Duration(h.random.Int64N(int64(batch))))
		switch how {
		case killedLater, stopped:
			time.Sleep(batch)
		case killedAtBreak:
			p.awaitBreak()
		}
		h.processes = append(h.processes, p)
		h.lives = append(h.lives, p.end(how != stopped))
	}
}

// awaitBreak waits until a caller knows of a break.
func (p *process) awaitBreak() {
	select {
	case <-p.breaks: // of the past
	default:
	}
	select {
	case <-p.breaks:
	case <-p.heard:
	case <-time.After(time.Minute):
	}
}

func (h *history) judge(t *testing.T) {
	a := h.account()
	v := a.judge()
	t.Log("\n" + h.report(a, v))
	assert.Empty(t, v.violations)
	for _, p := range h.processes {
		assert.Empty(t, p.failed, "life %d", p.life)
	}
	assert.Positive(t, v.gaps.count)
	assert.Positive(t, v.restarts.count)
	assert.Positive(t, v.outlived)
}

func (h *history) account() *account {
	a := &account{delays: make(map[string]time.Duration), visits: h.web.log(), lives: h.lives}
	for host := range *origins {
		a.delays[nameOf(host)] = delayOf(host)
	}
	return a
}

func (h *history) report(a *account, v *verdict) string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, format string, values ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, values...))
	}
	var slowest, open time.Duration
	late := 0
	for i, p := range h.processes {
		slowest, open, late = max(slowest, h.lives[i].slow), max(open, p.opened), late+p.late
	}
	row("lives", "%d in %v; %d killed", len(h.lives), h.lives[len(h.lives)-1].end.Round(time.Second), *kills)
	row("requests", "%d from %d origins", len(a.visits), *origins)
	row("robots.txt", "%d asked for; %d again after a kill, %d after a failure", v.asks, v.again, v.retried)
	row("gaps", "%d; the shortest %v beyond the crawl-delay; %d too short as they arrived", v.gaps.count, v.gaps.shortest, v.gaps.excused)
	row("… across a restart", "%d; the shortest %v beyond the crawl-delay; %d too short as they arrived", v.restarts.count, v.restarts.shortest, v.restarts.excused)
	row("breaks", "%d; %d outlived the process", v.breaks, v.outlived)
	row("to open the file", "%v at most", open)
	row("turns that could not be reserved", "%d", late)
	row("a small write", "%v at most", slowest)
	row("violations", "%d", len(v.violations))
	table.Flush()
	for _, violation := range slices.Sorted(slices.Values(v.violations))[:min(20, len(v.violations))] {
		b.WriteString(violation + "\n")
	}
	return b.String()
}

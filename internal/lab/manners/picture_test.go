package manners

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A picture shows what a site sees: requests that arrive, over time.
type picture struct {
	file  string
	title string
	site  func() site
	limit float64 // what the site allows, per second; 0: that is not one number
	lasts time.Duration
}

func pictures() []picture {
	return []picture{
		{"limit", "a limit of 5 requests/s", limited(5, 0, false), 5, 4 * time.Minute},
		{"drop", "20 requests/s, and 2 in the second minute", func() site { return &limiter{rate: dropping} }, 0, 8 * time.Minute},
		{"ban", "who sends more than 10 requests/s for a while gets 403 for ten minutes", banned(403), 10, 25 * time.Minute},
		{"workers", "four workers that need 300 ms for a page", crowd(4, 300*time.Millisecond), 13.3, time.Minute},
		{"outage", "down for two minutes: connections are refused", func() site { return &outage{from: time.Minute, to: 3 * time.Minute} }, 0, 4 * time.Minute},
		{"fast", "a fast site without a limit", well(healthy{}), 0, 20 * time.Second},
	}
}

// shown are the clients of a picture, from top to bottom.
var shown = []string{"nothing", "AutoThrottle", "polite"}

const (
	bins        = 160
	binWidth    = 4
	left        = 140 // where the axis is
	panelHeight = 96
	panelStep   = 122
	top         = 44
	decades     = 4   // of the axis
	lowest      = 0.1 // where it begins, per second
)

// drawAll writes all pictures into a folder.
func drawAll(t *testing.T, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, p := range pictures() {
		var text strings.Builder
		p.draw(t, &text)
		if err := os.WriteFile(filepath.Join(folder, p.file+".svg"), []byte(text.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; } .small { font-size: 11px; fill: #59636e; }
.grid { stroke: #d1d9e0; } .allowed { stroke: #1f2328; stroke-dasharray: 4 3; } .good { fill: #0969da; } .bad { fill: #d1242f; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; } .small { fill: #9198a1; } .grid { stroke: #3d444d; } .allowed { stroke: #f0f6fc; } .good { fill: #4493f8; } .bad { fill: #f85149; }
}
</style>
`

func (p picture) draw(t *testing.T, out io.Writer) {
	width, height := left+bins*binWidth+16, top+len(shown)*panelStep+10
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Requests that arrive at %s">`+"\n", width, height, width, height, p.title)
	fmt.Fprint(out, style)
	fmt.Fprintf(out, `<text x="16" y="22">%s</text>`+"\n", p.title)
	for i, name := range shown {
		p.panel(t, out, name, top+i*panelStep)
	}
	fmt.Fprintln(out, "</svg>")
}

// panel draws one client.
func (p picture) panel(t *testing.T, out io.Writer, name string, y int) {
	fmt.Fprintf(out, `<text x="16" y="%d">%s</text>`+"\n", y+panelHeight/2+4, name)
	for d := range decades + 1 {
		at, value := float64(y+panelHeight)-float64(d)*panelHeight/decades, lowest*math.Pow10(d)
		fmt.Fprintf(out, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text class="small" x="%d" y="%.1f" text-anchor="end">%g/s</text>`+"\n", left, left+bins*binWidth, at, at, left-4, at+4, value)
	}
	good, bad := p.count(t, name)
	step := p.lasts.Seconds() / bins
	all := make([]float64, bins)
	for i := range all {
		all[i] = good[i] + bad[i]
	}
	fmt.Fprintf(out, `<path class="bad" d="%s"/><path class="good" d="%s"/>`+"\n", bars(all, step, y), bars(good, step, y))
	if p.limit > 0 {
		at := float64(y+panelHeight) - high(p.limit)
		fmt.Fprintf(out, `<line class="allowed" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`+"\n", left, left+bins*binWidth, at, at)
	}
	fmt.Fprintf(out, `<text class="small" x="%d" y="%d">0</text><text class="small" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left, y+panelHeight+14, left+bins*binWidth, y+panelHeight+14, short(p.lasts))
}

// count crawls, and counts the arrivals in each bin.
func (p picture) count(t *testing.T, name string) (good, bad []float64) {
	good, bad = make([]float64, bins), make([]float64, bins)
	for _, c := range controllers() {
		if c.name != name {
			continue
		}
		crawl := newCrawl(p.site(), c.make(t), goroutines, math.MaxInt)
		crawl.until = p.lasts
		crawl.watch = func(now time.Duration, status int) {
			bin := min(int(float64(now)/float64(p.lasts)*bins), bins-1)
			if served := status == 200; served {
				good[bin]++
			} else {
				bad[bin]++
			}
		}
		crawl.run()
	}
	return good, bad
}

// bars returns the path of bars that are as high as the rates of counts in steps of
// seconds.
func bars(counts []float64, step float64, y int) string {
	var path strings.Builder
	for i, n := range counts {
		if h := high(n / step); h > 0 {
			fmt.Fprintf(&path, "M%d %dv-%.1fh%dv%.1fz", left+i*binWidth, y+panelHeight, h, binWidth, h)
		}
	}
	return path.String()
}

// high returns how high a rate is drawn. The axis is logarithmic.
func high(rate float64) float64 {
	if rate <= lowest {
		return 0
	}
	return min(math.Log10(rate/lowest)/decades, 1) * panelHeight
}

func short(d time.Duration) string {
	if d >= time.Minute {
		return fmt.Sprintf("%g min", d.Minutes())
	}
	return fmt.Sprintf("%g s", d.Seconds())
}

package timeline

import (
	"fmt"
	"strings"
	"time"
)

// Sizes of the picture, in pixels.
const (
	wide  = 820
	left  = 96 // where time begins
	right = 800
	top   = 52 // the middle of the first row
	high  = 30 // of a row
	below = 30 // from the site's row to the legend, and from there to the text
)

const style = `  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328; }
    .small { font-size: 12px; fill: #59636e; }
    .line { stroke: #d1d9e0; }
    .band { fill: #818b98; fill-opacity: .22; }
    .page { fill: #0969da; }
    .robots { fill: #8250df; }
    .told { fill: #cf222e; }
    .killed { fill: none; stroke: #cf222e; stroke-width: 2.5; }
    .still { stroke: #9a6700; stroke-width: 3; stroke-dasharray: 3 4; }
    .mark { stroke: #0969da; stroke-width: 2; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .small { fill: #9198a1; }
      .line { stroke: #3d444d; }
      .page { fill: #4493f8; }
      .robots { fill: #ab7df8; }
      .told { fill: #f85149; }
      .killed { stroke: #f85149; }
      .still { stroke: #d29922; }
      .mark { stroke: #4493f8; }
    }
  </style>
`

// SVG draws the log as a picture for light and dark pages. It needs no script.
func (l *Log) SVG() string {
	d := &drawing{Log: l}
	story := l.story()
	bottom := d.middle(l.Processes) // of the site
	height := bottom + 2*below + 18*len(story) + 14
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title desc">`, wide, height, wide, height)
	d.add(`  <title id="title">Requests of a fleet of %d processes, as they arrived at a site</title>`, l.Processes)
	d.add(`  <desc id="desc">%s</desc>`, strings.Join(story, " "))
	d.text.WriteString(style)
	d.ruler(bottom)
	d.bands(bottom)
	for p := range l.Processes {
		d.process(p)
	}
	d.site(bottom)
	d.legend(bottom + below)
	for i, line := range story {
		d.add(`  <text x="12" y="%d">%s</text>`, bottom+2*below+18*i+4, line)
	}
	d.add(`</svg>`)
	return d.text.String()
}

// A drawing is a picture that is being made.
type drawing struct {
	*Log
	text strings.Builder
}

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(&d.text, format+"\n", args...) }

// middle returns where the middle of a row is.
func (d *drawing) middle(n int) int { return top + high*n }

// x returns where a time is.
func (d *drawing) x(at time.Duration) float64 {
	if d.Length <= 0 {
		return left
	}
	return left + min(max(float64(at)/float64(d.Length), 0), 1)*(right-left)
}

func (d *drawing) ruler(bottom int) {
	for at := time.Duration(0); at <= d.Length; at += d.tick() {
		x := d.x(at)
		d.add(`  <line class="line" x1="%.1f" y1="30" x2="%.1f" y2="%d"/>`, x, x, bottom+high/2)
		d.add(`  <text class="small" x="%.1f" y="20" text-anchor="middle">%s</text>`, x, seconds(at))
	}
}

func (d *drawing) bands(bottom int) {
	for _, s := range d.Breaks {
		d.add(`  <rect class="band" x="%.1f" y="30" width="%.1f" height="%d"/>`, d.x(s.From), d.x(s.To)-d.x(s.From), bottom+high/2-30)
	}
}

func (d *drawing) process(p int) {
	y := d.middle(p)
	end := d.Length
	for _, s := range d.Killed {
		if s.Process == p {
			end = s.From
		}
	}
	d.add(`  <text x="12" y="%d">process %d</text>`, y+4, p+1)
	d.add(`  <line class="line" x1="%d" y1="%d" x2="%.1f" y2="%d"/>`, left, y, d.x(end), y)
	if end < d.Length {
		d.cross(d.x(end), y)
	}
	for _, s := range d.Paused {
		if s.Process == p {
			d.add(`  <line class="still" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, d.x(s.From), y, d.x(s.To), y)
		}
	}
	for _, a := range d.Arrivals {
		if a.Process != p {
			continue
		}
		if a.Robots { // a page follows at once
			d.dot(a.class(), d.x(a.At), y-10)
		} else {
			d.dot(a.class(), d.x(a.At), y)
		}
	}
}

func (a Arrival) class() string {
	switch {
	case a.Robots:
		return "robots"
	case a.Status >= 400:
		return "told"
	default:
		return "page"
	}
}

// dot draws a request: a square for robots.txt, so that colours are not needed.
func (d *drawing) dot(class string, x float64, y int) {
	switch class {
	case "robots":
		d.add(`  <rect class="robots" x="%.1f" y="%d" width="9" height="9"/>`, x-4.5, y-4)
	case "told":
		d.add(`  <path class="told" d="M%.1f %dl6 11h-12z"/>`, x, y-7)
	default:
		d.add(`  <circle class="page" cx="%.1f" cy="%d" r="4.5"/>`, x, y)
	}
}

func (d *drawing) cross(x float64, y int) {
	d.add(`  <path class="killed" d="M%.1f %dl10 10m0 -10l-10 10"/>`, x-5, y-5)
}

// site draws all pages in one row.
func (d *drawing) site(y int) {
	d.add(`  <text x="12" y="%d">the site</text>`, y+4)
	for _, a := range d.Arrivals {
		if !a.Robots {
			d.add(`  <line class="mark" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, d.x(a.At), y-8, d.x(a.At), y+8)
		}
	}
}

func (d *drawing) legend(y int) {
	x := 18.0
	name := func(text string, room float64) {
		d.add(`  <text class="small" x="%.1f" y="%d">%s</text>`, x+12, y+4, text)
		x += room
	}
	d.dot("robots", x, y)
	name("robots.txt", 105)
	d.dot("page", x, y)
	name("page", 75)
	d.dot("told", x, y)
	name("told to wait", 115)
	d.cross(x, y)
	name("killed", 80)
	d.add(`  <line class="still" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, x-8, y, x+8, y)
	name("paused", 85)
	d.add(`  <rect class="band" x="%.1f" y="%d" width="16" height="16"/>`, x-8, y-8)
	name("break", 0)
}

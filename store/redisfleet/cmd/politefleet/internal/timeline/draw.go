package timeline

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"
)

const (
	width  = 80 // of the drawing, in columns
	indent = 11 // of the names before the rows
)

// The signs of the drawing.
const (
	page    = 'o'
	robots  = 'R'
	told    = '!'
	killed  = 'x'
	still   = '='
	inBreak = ':'
)

const legend = "R robots.txt   o page   ! told to wait   x killed   = paused   : break"

// Text draws the log for a terminal: a row for each process, and one for the site.
func (l *Log) Text() string {
	var b strings.Builder
	b.WriteString(line("", l.ruler()))
	for p := range l.Processes {
		b.WriteString(line(fmt.Sprint("process ", p+1), l.row(p)))
	}
	b.WriteString(line("the site", l.pages()) + "\n" + legend + "\n\n")
	for _, line := range l.Story() {
		b.WriteString(line + "\n")
	}
	return b.String()
}

func line(name, row string) string {
	return strings.TrimRight(fmt.Sprintf("%-*s%s", indent, name, row), " ") + "\n"
}

// row draws what became of a process.
func (l *Log) row(process int) string {
	cells := l.cells()
	for _, s := range l.Paused {
		if s.Process == process {
			l.fill(cells, s, still)
		}
	}
	for _, s := range l.Killed {
		if s.Process == process {
			l.fill(cells, s, ' ')
			cells[l.column(s.From)] = killed
		}
	}
	for _, a := range l.Arrivals {
		if at := l.column(a.At); a.Process == process && cells[at] != robots {
			cells[at] = a.mark()
		}
	}
	return string(cells)
}

// pages draws the requests of all processes, as the site sees them.
func (l *Log) pages() string {
	cells := l.cells()
	for _, a := range l.Arrivals {
		if !a.Robots {
			cells[l.column(a.At)] = a.mark()
		}
	}
	return string(cells)
}

// cells returns the cells of a row, with the breaks.
func (l *Log) cells() []rune {
	cells := []rune(strings.Repeat(" ", width-indent))
	for _, s := range l.Breaks {
		l.fill(cells, s, inBreak)
	}
	return cells
}

func (a Arrival) mark() rune {
	switch {
	case a.Robots:
		return robots
	case a.Told():
		return told
	default:
		return page
	}
}

func (l *Log) fill(cells []rune, s Span, with rune) {
	for i := l.column(s.From); i <= l.column(s.To); i++ {
		cells[i] = with
	}
}

// column returns the column of a time.
func (l *Log) column(at time.Duration) int { return int(l.share(at) * (width - indent - 1)) }

// ruler draws the seconds.
func (l *Log) ruler() string {
	cells := []rune(strings.Repeat(" ", width-indent))
	for _, at := range l.Ticks() {
		text := []rune(seconds(at))
		copy(cells[min(l.column(at), len(cells)-len(text)):], text)
	}
	return string(cells)
}

//go:embed picture.svg
var picture string

// Sizes of the picture, in pixels. The template has the others.
const (
	left  = 96 // where time begins
	right = 800
	top   = 52 // the middle of the first row
	high  = 30 // of a row
	below = 60 // from the site's row to the text
	next  = 18 // from a line of the text to the next
)

// SVG draws the log as a picture for light and dark pages. It needs no script.
func (l *Log) SVG() string {
	helpers := template.FuncMap{"seconds": seconds, "add": func(a, b int) int { return a + b }}
	t := template.Must(template.New("picture").Funcs(helpers).Parse(picture))
	var b strings.Builder
	if err := t.Execute(&b, drawing{l}); err != nil {
		panic(err) // the template does not depend on what is drawn, so a test finds it
	}
	return b.String()
}

// A drawing is what the template asks for.
type drawing struct{ *Log }

// Middle returns where the middle of a row is.
func (d drawing) Middle(row int) int { return top + high*row }

// Bottom returns where the site's row is.
func (d drawing) Bottom() int { return d.Middle(d.Processes) }

// Line returns where a line of the story is.
func (d drawing) Line(n int) int { return d.Bottom() + below + next*n + 4 }

func (d drawing) Height() int { return d.Line(len(d.Story())) + 10 }

// X returns where a time is, and from there further to the right.
func (d drawing) X(at time.Duration, further float64) string {
	return fmt.Sprintf("%.1f", d.x(at)+further)
}

// Width returns how wide a span is.
func (d drawing) Width(s Span) string { return fmt.Sprintf("%.1f", d.x(s.To)-d.x(s.From)) }

func (d drawing) x(at time.Duration) float64 { return left + d.share(at)*(right-left) }

// End returns when a process was killed, or else the end of the log.
func (d drawing) End(process int) time.Duration {
	end := d.Length
	for _, s := range d.Killed {
		if s.Process == process {
			end = s.From
		}
	}
	return end
}

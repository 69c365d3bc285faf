package timeline

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"
)

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

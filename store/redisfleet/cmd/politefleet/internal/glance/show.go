package glance

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/go-polite/polite/internal/printable"
)

//go:embed text.tmpl
var layout string

// Text tells what was read. What others wrote is made printable.
func (g *Glance) Text() string {
	helpers := template.FuncMap{"span": span, "printable": printable.Text, "excerpt": excerpt, "claimed": claimed}
	t := template.Must(template.New("text").Funcs(helpers).Parse(layout))
	var b strings.Builder
	if err := t.Execute(&b, struct {
		Counts    counts
		Lanes     []lane
		Claims    []claim
		Processes []process
		Servers   []server
	}{g.counts, g.lanes.first(g.Most), g.claims.first(g.Most), g.processes.first(g.Most), g.servers}); err != nil {
		panic(err) // the template does not depend on what was read, so a test finds it
	}
	return b.String()
}

// shownSlots is how many slots of a lane have a line.
const shownSlots = 8

// Shown returns the slots that have a line.
func (l lane) Shown() []slot { return l.Slots[:min(len(l.Slots), shownSlots)] }

// More returns how many slots have none.
func (l lane) More() int { return max(l.Taken-shownSlots, 0) }

// Called returns how a lane is called in a line: by its key if it has no name.
func (l lane) Called() string {
	name := excerpt(l.Name)
	if l.Name == "" {
		name = printable.Text(l.Key)
	}
	if l.Damaged {
		name += "  (damaged)"
	}
	return name
}

// claimed names the robots.txt that is fetched. If it is fetched again, the server does not
// keep its name.
func claimed(r claim) string {
	if r.Name == "" {
		return "again, for the entry " + printable.Text(r.Key)
	}
	return excerpt(r.Name)
}

// excerpt returns the beginning of a name in one line.
func excerpt(name string) string {
	const most = 100
	n := 0
	for i := range name {
		if n++; n > most {
			return printable.Text(name[:i]) + "..."
		}
	}
	return printable.Text(name)
}

// span tells a time. Zero is "-".
func span(s seconds) string {
	switch d := time.Duration(s); {
	case d <= 0:
		return "-"
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	default:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
}

// JSON tells what was read: an object a line for each lane, claim and process that Text would
// list, and one with the counts. The documentation of the command describes them.
func (g *Glance) JSON() string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // "&" is common in URLs
	encode(e, g.servers)
	encode(e, g.lanes.first(g.Most))
	encode(e, g.claims.first(g.Most))
	encode(e, g.processes.first(g.Most))
	e.Encode(g.counts)
	return printable.JSON(b.String())
}

func encode[R any](e *json.Encoder, rows []R) {
	for _, row := range rows {
		e.Encode(row)
	}
}

// seconds are a time, which is a number of seconds in JSON.
type seconds time.Duration

func (s seconds) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(s).Seconds()) }

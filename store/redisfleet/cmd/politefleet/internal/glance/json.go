package glance

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/printable"
)

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

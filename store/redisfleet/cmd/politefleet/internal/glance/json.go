package glance

import (
	"encoding/json"
	"strings"

	"github.com/go-polite/polite/internal/printable"
)

// JSON tells what was read: an object a line for each lane, claim and process that Text would
// list, and one with the counts. The documentation of the command describes them.
func (g *Glance) JSON() string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // "&" is common in URLs
	for _, s := range g.servers {
		e.Encode(struct {
			Server  string `json:"server"`
			Trouble string `json:"trouble"`
		}{s.Address, s.Trouble.Error()})
	}
	for _, l := range g.lanes.first(g.Most) {
		e.Encode(l.fields())
	}
	for _, r := range g.claims.first(g.Most) {
		e.Encode(struct {
			Key   string  `json:"key"`
			Fetch string  `json:"fetches"`
			Left  float64 `json:"left"`
			Token string  `json:"token"`
			Again bool    `json:"again"`
		}{r.Key, r.Name, r.Claim.Seconds(), r.Token, r.Kept})
	}
	for _, p := range g.processes.first(g.Most) {
		e.Encode(struct {
			Key     string  `json:"key"`
			Process string  `json:"process"`
			Profile string  `json:"profile"`
			Health  string  `json:"health"`
			Silent  float64 `json:"silent"`
		}{p.Key, p.Name, p.Profile, p.Health, p.Silent.Seconds()})
	}
	e.Encode(g.counts)
	return printable.JSON(b.String())
}

func (l *lane) fields() any {
	type slot struct {
		Token string  `json:"token"`
		Left  float64 `json:"left"`
	}
	slots := make([]slot, 0, len(l.Slots))
	for _, s := range l.Slots {
		slots = append(slots, slot{s.Token, s.Left.Seconds()})
	}
	return struct {
		Key      string  `json:"key"`
		Lane     string  `json:"lane"`
		Wait     float64 `json:"wait"`
		Break    float64 `json:"break"`
		Reserved int     `json:"reserved"`
		Taken    int     `json:"slots_taken"`
		Slots    []slot  `json:"slots"`
		Bytes    int     `json:"bytes"`
		Damaged  bool    `json:"damaged"`
	}{l.Key, l.Name, l.Wait.Seconds(), l.Break.Seconds(), l.Reserved, l.Taken, slots, l.Bytes, l.Damaged}
}

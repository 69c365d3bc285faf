package usage

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-polite/polite/robots"
)

// Reservations are what a /.well-known/tdmrep.json says about the pages of its site (TDM
// Reservation Protocol). The zero Reservations say nothing. They do not change, and are safe
// for concurrent use.
type Reservations struct{ all []reservation }

// A reservation is one rule of the file.
type reservation struct {
	pattern robots.Rules // which pages it is for: as a rule that disallows them
	size    int
	page    Page
}

// mostReservations is how many rules of a file are read. Its other rules say nothing.
const mostReservations = 1000

// ParseReservations reads a tdmrep.json: a JSON array of rules. A rule without a location
// says nothing. It returns an error if body is no such array; then the site does not take part
// in the protocol.
func ParseReservations(body []byte) (Reservations, error) {
	var written []struct {
		Location    string `json:"location"`
		Reservation any    `json:"tdm-reservation"`
		Policy      any    `json:"tdm-policy"`
	}
	if err := json.Unmarshal(body, &written); err != nil {
		return Reservations{}, fmt.Errorf("usage: tdmrep.json: %w", err)
	}
	var r Reservations
	for _, w := range written[:min(len(written), mostReservations)] {
		if w.Location == "" || strings.ContainsAny(w.Location, "\r\n#") {
			continue
		}
		rule := reservation{}
		rule.page.addReservation(fmt.Sprint(w.Reservation), "tdmrep.json")
		if policy, ok := w.Policy.(string); ok {
			rule.page.TDMPolicy = policy
		}
		file := robots.Parse([]byte("user-agent: *\ndisallow: " + w.Location))
		rule.pattern, rule.size = file.Rules(), file.Size()+len(rule.page.TDMPolicy)
		r.all = append(r.all, rule)
	}
	return r, nil
}

// Of returns what the file says about target: a URL, or its path with the query. The first
// location that matches counts. A location matches as the pattern of a rule does.
func (r Reservations) Of(target string) Page {
	for _, rule := range r.all {
		if _, matches := rule.pattern.Match(target); matches {
			return rule.page
		}
	}
	return Page{}
}

// Size returns about how many bytes of memory the Reservations take.
func (r Reservations) Size() (size int) {
	for _, rule := range r.all {
		size += rule.size
	}
	return size
}

package tester

import (
	"github.com/go-polite/polite/cmd/polite/internal/self"
)

// A Start is what the page begins with: what the command line gave.
type Start struct {
	Agent string
	Text  []byte // of the robots.txt; nil if none was given
	Name  string // of its file
	URLs  []string
	State string // the fragment of a link that the page made
}

type startAnswer struct {
	Agent   string   `json:"agent"`
	Text    []byte   `json:"text"` // base64, or null
	Name    string   `json:"name"`
	URLs    []string `json:"urls"`
	State   string   `json:"state"`
	Version string   `json:"version"`
}

func (s Start) answer() startAnswer {
	return startAnswer{s.Agent, s.Text, s.Name, append([]string{}, s.URLs...), s.State, self.Version()}
}

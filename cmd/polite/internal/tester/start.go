package tester

import (
	"github.com/go-polite/polite/cmd/polite/internal/self"
	"github.com/go-polite/polite/robots/crawlers"
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

func (s *Server) start() startAnswer {
	begin := s.options.Start
	return startAnswer{begin.Agent, begin.Text, begin.Name, append([]string{}, begin.URLs...), begin.State, self.Version()}
}

// A crawler is a well-known one, in JSON.
type crawler struct {
	Name    string `json:"name"`
	Owner   string `json:"owner"`
	Purpose string `json:"purpose"`
	Manners string `json:"manners"`
	Source  string `json:"source"`
	Looked  string `json:"looked"`
}

type crawlersAnswer struct {
	Crawlers []crawler `json:"crawlers"`
}

func knownCrawlers() crawlersAnswer {
	var all []crawler
	for _, c := range crawlers.All() {
		all = append(all, crawler(c))
	}
	return crawlersAnswer{all}
}

package tester

import (
	"cmp"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/self"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/crawlers"
)

type agent struct {
	Tokens []string `json:"tokens"`
	Doubt  string   `json:"doubt"`
	Known  *crawler `json:"known"`
}

// mostAgent is longer than any User-Agent.
const mostAgent = 2000

// readAgent returns who a name, several, or a User-Agent stand for. "" is polite itself.
func readAgent(written string) (agent, error) {
	written = cmp.Or(strings.TrimSpace(written), self.UserAgent())
	if len(written) > mostAgent {
		return agent{}, bad("The crawler's name is too long.")
	}
	tokens, err := judge.ParseAgent(written)
	if err != nil {
		return agent{}, bad("%q: %w", written, err)
	}
	a := agent{Tokens: tokens, Doubt: printable.Text(judge.Doubt(written, tokens))}
	if c, ok := crawlers.Find(tokens[0]); ok {
		a.Known = new(crawler(c))
	}
	return a, nil
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

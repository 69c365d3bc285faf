package tester

import (
	"cmp"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/crawlers"
)

type agent struct {
	Tokens []string          `json:"tokens"`
	Doubt  string            `json:"doubt"`
	Known  *crawlers.Crawler `json:"known"`
}

// mostAgent is longer than any User-Agent.
const mostAgent = 2000

// readAgent returns who a name, several, or a User-Agent stand for. "" is polite itself.
func readAgent(written string) (agent, error) {
	written = cmp.Or(strings.TrimSpace(written), verb.UserAgent())
	if len(written) > mostAgent {
		return agent{}, bad("The crawler's name is too long.")
	}
	tokens, err := judge.ParseAgent(written)
	if err != nil {
		return agent{}, bad("%q: %w", written, err)
	}
	a := agent{Tokens: tokens, Doubt: printable.Text(judge.Doubt(written, tokens))}
	if c, ok := crawlers.Find(tokens[0]); ok {
		a.Known = &c
	}
	return a, nil
}

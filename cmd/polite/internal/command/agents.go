package command

import (
	"errors"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/robots/crawlers"
)

// agents are the crawlers that -A names.
type agents struct {
	crawlers [][]string // the product tokens of each
	doubts   []string   // about them
}

// add adds the crawler of an argument of -A.
func (a *agents) add(agent string) error {
	tokens, err := judge.ParseAgent(agent)
	if err != nil {
		return err
	}
	a.crawlers = append(a.crawlers, tokens)
	if doubt := judge.Doubt(agent, tokens); doubt != "" {
		a.doubts = append(a.doubts, doubt)
	}
	return nil
}

func (a *agents) tellDoubts(tell func(error)) {
	for _, doubt := range a.doubts {
		tell(errors.New(doubt))
	}
}

func purposes() (names []string) {
	for _, k := range crawlers.Kinds() {
		names = append(names, string(k))
	}
	return names
}

package agent

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func fetchPrompt() *mcp.Prompt {
	return &mcp.Prompt{
		Name: "fetch", Title: "Fetch a page",
		Description: "Fetches a page that you name, and gives its text to the model",
		Arguments:   []*mcp.PromptArgument{{Name: "url", Title: "URL", Description: "the page, as in https://example.com/page", Required: true}},
	}
}

// prompt fetches a page for a person.
func (s *service) prompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	began := time.Now()
	ctx, cancel := whileWaited(ctx, s.MaxTime)
	defer cancel()
	w := Wish{URL: req.Params.Arguments["url"]}
	p, err := s.fetchFor(ctx, s.person, w)
	outcome, text := "ok", ""
	if err != nil {
		refusal := s.refusal(err)
		outcome, text = refusal.Why, refusal.text()
	} else {
		text = p.text()
	}
	s.note(ctx, "prompt", w, outcome, time.Since(began))
	return &mcp.GetPromptResult{
		Description: "The text of " + excerpt(w.URL),
		Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
	}, nil
}

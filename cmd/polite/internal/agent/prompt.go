package agent

import (
	"context"

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
	w := Wish{URL: req.Params.Arguments["url"]}
	text, _ := s.call(ctx, "prompt", w, func(ctx context.Context) (teller, error) { return s.fetchFor(ctx, s.person, w) })
	return &mcp.GetPromptResult{
		Description: "The text of " + excerpt(w.URL),
		Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
	}, nil
}

package usage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-polite/polite/robots/usage"
)

func TestPolicyTokens(t *testing.T) {
	for _, token := range append(usage.PolicyTokens(), "__USAGE_AI-Training", "__usage_paint") {
		assert.True(t, usage.IsPolicyToken(token), token)
	}
	for _, token := range []string{"", "*", "__usage_", "_usage_ai-training", "usage_search", "__usage-search", "GPTBot"} {
		assert.False(t, usage.IsPolicyToken(token), token)
	}
}

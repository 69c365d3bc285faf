package usage

import "strings"

// policyPrefix begins a policy token.
const policyPrefix = "__usage_"

// PolicyTokens returns the policy tokens for the uses that this package knows, such as __usage_ai-training. By
// draft-kelley-aipref-training-preference-signal-00, the rules of a group for a policy token say for which paths a
// page may be used so. Nothing in this module enforces it: give the token to [robots.File.Rules] to ask. The
// caller may change the slice.
func PolicyTokens() []string {
	return []string{policyPrefix + "ai-training", policyPrefix + string(Search), policyPrefix + string(AIInput)}
}

// IsPolicyToken reports whether a product token is a policy token, also one for a use that this package does not
// know. A policy token is the name of no crawler.
func IsPolicyToken(token string) bool {
	n := len(policyPrefix)
	return len(token) > n && strings.EqualFold(token[:n], policyPrefix)
}

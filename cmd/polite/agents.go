package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots"
)

// parseAgent returns the product tokens that the value of -A stands for.
func parseAgent(agent string) ([]string, error) {
	tokens := strings.Split(agent, ",")
	for i := range tokens {
		tokens[i] = strings.TrimSpace(tokens[i])
	}
	if slices.ContainsFunc(tokens, func(s string) bool { return !robots.IsProductToken(s) }) {
		tokens = []string{robots.ProductToken(agent)}
	}
	if tokens[0] == "" {
		return nil, errors.New("it names no crawler: write one as in GPTBot")
	}
	if second := secondToken[strings.ToLower(tokens[0])]; second != "" && len(tokens) == 1 {
		tokens = append(tokens, second)
	}
	return tokens, nil
}

// secondToken has the token that a crawler goes by if none is for its own, as
// Google publishes it for those that it has.
var secondToken = map[string]string{
	"googlebot-image":   "Googlebot",
	"googlebot-news":    "Googlebot",
	"googlebot-video":   "Googlebot",
	"googleother-image": "GoogleOther",
	"googleother-video": "GoogleOther",
}

// ignoresEveryone reports whether a crawler is one that ignores the group for
// "*", as Google says of some of its own.
func ignoresEveryone(token string) bool {
	switch strings.ToLower(token) {
	case "adsbot-google", "adsbot-google-mobile", "apis-google", "mediapartners-google":
		return true
	}
	return false
}

// ignoresDelay reports whether a crawler is one of Google's, which ignore
// crawl-delay.
func ignoresDelay(token string) bool {
	token = strings.ToLower(token)
	return strings.HasPrefix(token, "google") || strings.HasSuffix(token, "-google") || token == "adsbot-google-mobile"
}

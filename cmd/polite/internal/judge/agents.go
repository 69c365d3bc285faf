package judge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
)

// ParseAgent returns the product tokens that an argument stands for: a token, several
// with commas between, or a User-Agent. One of Google's tokens may stand for two.
func ParseAgent(agent string) ([]string, error) {
	tokens := strings.Split(agent, ",")
	for i := range tokens {
		tokens[i] = strings.TrimSpace(tokens[i])
	}
	if slices.ContainsFunc(tokens, func(s string) bool { return !robots.IsProductToken(s) }) {
		tokens = []string{robots.ProductToken(agent)}
	}
	if tokens[0] == "" {
		return nil, errors.New("it names no crawler: write a name, as in GPTBot")
	}
	if second := crawlers.GoesBy(tokens[0]); second != "" && len(tokens) == 1 {
		tokens = append(tokens, second)
	}
	return tokens, nil
}

// Doubt returns what is doubtful about an argument that stands for these product tokens: it
// is read as something else than it says, or it nearly names a well-known crawler. It is ""
// if nothing is.
func Doubt(agent string, tokens []string) string {
	text, meant := "", ""
	if words := strings.TrimSpace(agent); !strings.ContainsAny(words, ",/(") && !strings.EqualFold(words, tokens[0]) {
		text = fmt.Sprintf("%q is read as %s, the product token that it begins with", words, tokens[0])
		meant = crawlers.Meant(words)
	}
	for i, token := range tokens {
		if c, ok := crawlers.Find(token); ok && i > 0 {
			if first, ok := crawlers.Find(tokens[0]); ok && first.Owner != c.Owner {
				return fmt.Sprintf("%s and %s are judged as one crawler with two names: name each apart", first.Name, c.Name)
			}
		}
		if meant != "" {
			break
		}
		if meant = crawlers.Meant(token); meant != "" && text == "" {
			text = fmt.Sprintf("no crawler of the name %s is known", token)
		}
	}
	if meant == "" {
		return text
	}
	return text + ": do you mean " + meant + "?"
}

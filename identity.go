package polite

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/go-polite/polite/robots"
)

// An identity is the name under which a crawler goes.
type identity struct {
	userAgent string
	agents    []string // product tokens, most specific first
}

func newIdentity(userAgent string, agents []string) (identity, error) {
	agents, err := tokens(userAgent, agents)
	return identity{userAgent, agents}, err
}

// identified returns req with a User-Agent.
func (as *identity) identified(req *http.Request) *http.Request {
	if _, ok := req.Header["User-Agent"]; ok {
		return req
	}
	clone := req.WithContext(req.Context())
	clone.Header = make(http.Header, len(req.Header)+1)
	maps.Copy(clone.Header, req.Header)
	clone.Header.Set("User-Agent", as.userAgent)
	return clone
}

// tokens returns the product tokens to go by, or an error that says what to
// write instead of userAgent or agents.
func tokens(userAgent string, agents []string) ([]string, error) {
	const example = `"ExampleBot/1.0 (+https://example.com/bot)"`
	if userAgent == "" {
		return nil, errors.New("polite: UserAgent is empty: write who you are, as in " + example)
	}
	if strings.ContainsFunc(userAgent, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		return nil, fmt.Errorf("polite: UserAgent %q has a control character: write it as in %s", userAgent, example)
	}
	if agents == nil {
		token := robots.ProductToken(userAgent)
		if token == "" {
			return nil, fmt.Errorf("polite: UserAgent %q does not begin with the name of a crawler: write it as in %s, or name the crawler in Agents", userAgent, example)
		}
		return []string{token}, nil
	}
	if len(agents) == 0 {
		return nil, errors.New(`polite: Agents is empty, but not nil: name the crawler, as in []string{"ExampleBot"}`)
	}
	for i, token := range agents {
		if !robots.IsProductToken(token) {
			return nil, fmt.Errorf(`polite: Agents[%d] is %q, which is no product token: write letters, digits, '-', '_' and '.' alone, as in "ExampleBot"`, i, token)
		}
	}
	return agents, nil
}

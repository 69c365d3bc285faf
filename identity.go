package polite

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
)

// outgoing returns req as it is sent to o: req itself if it has a User-Agent and
// names the host as o does, else a copy that does.
func (t *Transport) outgoing(req *http.Request, o *origin.Origin) *http.Request {
	_, named := req.Header["User-Agent"]
	spelled := o.Spells(req)
	if named && spelled {
		return req
	}
	clone := req.WithContext(req.Context())
	if !named {
		clone.Header = make(http.Header, len(req.Header)+1)
		maps.Copy(clone.Header, req.Header)
		clone.Header.Set("User-Agent", t.UserAgent)
	}
	if !spelled {
		u := *req.URL
		clone.URL = &u
		o.Aim(clone)
	}
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

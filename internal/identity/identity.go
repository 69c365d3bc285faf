// Package identity is the name under which a crawler goes: its product tokens, and the
// User-Agent that sites see.
package identity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
)

// An Identity is the name of one crawler. It is safe for concurrent use. Do not copy it.
type Identity struct {
	UserAgent string
	Agents    []string // product tokens, most specific first

	// Replaced is called for the first request whose User-Agent is replaced.
	Replaced func(ctx context.Context, replaced, sent string)
	once     sync.Once // for Replaced
}

// Shown returns the product token that a site sees: the first of Agents that UserAgent
// names, or else UserAgent's own.
func (id *Identity) Shown() string {
	for _, token := range id.Agents {
		if namesAny(id.UserAgent, []string{token}) {
			return token
		}
	}
	return robots.ProductToken(id.UserAgent)
}

// Outgoing returns req as it is sent to o: with a User-Agent of ours, and with the host
// as o spells it. If req has both already, Outgoing returns req itself, else a copy.
func (id *Identity) Outgoing(req *http.Request, o *origin.Origin) *http.Request {
	named, spelled := id.isOurs(req.Header), o.Spells(req)
	if named && spelled {
		return req
	}
	clone := &copied{Request: *req}
	if !named {
		clone.Header = id.underOurName(req, &clone.value)
	}
	if !spelled {
		u := *req.URL
		clone.URL = &u
		o.Aim(&clone.Request)
	}
	return &clone.Request
}

// A copied request has room for its User-Agent: with it, to add one takes 3 allocations
// and not 4.
type copied struct {
	http.Request
	value [1]string
}

// isOurs reports whether a request with this header is sent under our name alone. If
// there are several values, net/http sends the first. It would also send a key that is
// spelled in another way.
func (id *Identity) isOurs(header http.Header) bool {
	values := header["User-Agent"]
	if len(values) == 0 || values[0] != id.UserAgent && !id.isOurName(values[0]) {
		return false
	}
	if len(header) > 1 {
		for key := range header {
			if len(key) == len("User-Agent") && key != "User-Agent" && strings.EqualFold(key, "User-Agent") {
				return false
			}
		}
	}
	return true
}

// isOurName reports whether userAgent names our product.
func (id *Identity) isOurName(userAgent string) bool {
	token := robots.ProductToken(userAgent)
	is := func(ours string) bool { return strings.EqualFold(token, ours) }
	return token != "" && (slices.ContainsFunc(id.Agents, is) || is(robots.ProductToken(id.UserAgent)))
}

// underOurName returns the header of req with our name, in value, as the only User-Agent.
func (id *Identity) underOurName(req *http.Request, value *[1]string) http.Header {
	header := make(http.Header, len(req.Header)+1)
	for key, values := range req.Header {
		if strings.EqualFold(key, "User-Agent") {
			id.tellReplaced(req.Context(), values)
		} else {
			header[key] = values
		}
	}
	value[0] = id.UserAgent
	header["User-Agent"] = value[:]
	return header
}

// tellReplaced calls Replaced for the first User-Agent that is not sent.
func (id *Identity) tellReplaced(ctx context.Context, values []string) {
	id.once.Do(func() { id.Replaced(ctx, strings.Join(values, ", "), id.UserAgent) })
}

// maxName is how many octets a UserAgent may have. Some sites refuse requests with
// longer headers, or cut the address off in their logs.
const maxName = 1000

const exampleName = `"ExampleBot/1.0 (+https://example.com/bot)"`

// Tokens returns the product tokens that polite goes by. The error says what to write
// instead of userAgent or agents.
func Tokens(userAgent string, agents []string) ([]string, error) {
	if err := sendable(userAgent); err != nil {
		return nil, err
	}
	if agents != nil && len(agents) == 0 {
		return nil, errors.New(`polite: Agents is empty, but not nil: name the crawler, as in []string{"ExampleBot"}`)
	}
	for i, token := range agents {
		if !robots.IsProductToken(token) {
			return nil, fmt.Errorf(`polite: Agents[%d] is %.60q, which is no product token: write letters, digits, '-', '_' and '.' alone, as in "ExampleBot"`, i, token)
		}
	}
	if namesAny(userAgent, agents) { // which RFC 9309 §2.2.1 asks for
		return agents, nil
	}
	token, err := named(userAgent)
	if err != nil {
		return nil, err
	}
	if agents == nil {
		agents = []string{token}
	}
	return agents, nil
}

// sendable returns an error if userAgent should not be sent.
func sendable(userAgent string) error {
	problem := ""
	switch {
	case userAgent == "":
		return errors.New("polite: UserAgent is empty: write who you are, as in " + exampleName)
	case strings.ContainsFunc(userAgent, func(r rune) bool { return r < ' ' || r == 0x7F }):
		problem = "has a control character"
	case strings.ContainsFunc(userAgent, func(r rune) bool { return r > 0x7F }):
		problem = "has a character beyond ASCII, which not every site can read"
	case strings.Trim(userAgent, " ") != userAgent:
		problem = "begins or ends with a space"
	case len(userAgent) > maxName:
		problem = fmt.Sprintf("is longer than %d characters", maxName)
	default:
		return nil
	}
	return fmt.Errorf("polite: UserAgent %.60q %s: write it as in %s", userAgent, problem, exampleName)
}

// named returns the product token of userAgent. It returns an error if the author of
// userAgent probably means another name.
func named(userAgent string) (token string, err error) {
	token = robots.ProductToken(userAgent)
	switch {
	case token == "" || strings.EqualFold(token, "Mozilla"):
		return "", fmt.Errorf("polite: UserAgent %.60q does not begin with the name of a crawler: write it as in %s; if the name stands elsewhere in it, name it in Agents", userAgent, exampleName)
	case !strings.ContainsAny(token, letters) || !endsName(userAgent, token):
		return "", fmt.Errorf("polite: UserAgent %.60q would name the crawler %.60q: write the name as one word of letters, digits, '-', '_' and '.', and a letter among them, then a slash and the version, as in %s", userAgent, token, exampleName)
	}
	return token, nil
}

// endsName reports whether the name of the crawler ends after token, with which
// userAgent may begin. It does not in "my bot", "bot@example.com" and
// "https://example.com/bot".
func endsName(userAgent, token string) bool {
	rest, ok := strings.CutPrefix(userAgent, token)
	if !ok || rest == "" || rest[0] == '/' || rest[0] == '(' || robots.IsProductToken(rest[:1]) {
		return true // the first and the last: token stands in a comment
	}
	after := strings.TrimLeft(rest, " ")
	return rest[0] == ' ' && (after == "" || !strings.Contains(letters+"0123456789", after[:1]))
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// namesAny reports whether a word of userAgent is one of agents.
func namesAny(userAgent string, agents []string) bool {
	for word := range strings.FieldsFuncSeq(userAgent, func(r rune) bool { return !robots.IsProductToken(string(r)) }) {
		if slices.ContainsFunc(agents, func(token string) bool { return strings.EqualFold(token, word) }) {
			return true
		}
	}
	return false
}

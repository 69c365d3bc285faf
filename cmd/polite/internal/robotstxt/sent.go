package robotstxt

import (
	"context"
	"net/url"
	"strings"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/store"
)

// A Source is what a site has answered to a request for its robots.txt.
type Source struct {
	Status int
	Body   []byte // up to robots.MaxSize octets of it
}

// Of returns what the site of u has answered to a crawler, as the Store has it: package polite drops
// the text once it has the rules. ok is false if the Store has no answer.
func Of(ctx context.Context, s store.Store, userAgent string, u *url.URL) (source Source, ok bool, err error) {
	o, err := origin.OfURL(u)
	if err != nil {
		return Source{}, false, err
	}
	key := entry.Key(strings.ToLower(robots.ProductToken(userAgent)), o)
	claim, err := s.Claim(ctx, key, "", 0)
	if err != nil || claim.Entry == nil {
		return Source{}, false, err
	}
	e, err := entry.Decode(key, claim.Entry)
	if err != nil || e.Answer == nil {
		return Source{}, false, err
	}
	body := e.Answer.Body
	return Source{e.Answer.Status, body[:min(len(body), robots.MaxSize)]}, true, nil
}

package agent

import (
	"context"
	"net/url"
	"path"
	"strings"
)

// The bounds of what a refusal offers.
const (
	mostParents = 8
	mostAllowed = 3
)

// offer adds what is allowed at the site to a refusal by a rule, or by a statement of
// robots.txt. It asks nobody: robots.txt is known.
func (c *client) offer(ctx context.Context, r *Refusal) {
	u, err := url.Parse(r.URL)
	if err != nil || r.Why != "disallowed" && r.Why != "use" {
		return
	}
	r.Sitemaps = c.sitemaps(ctx, u, mostSitemaps)
	for _, parent := range parents(u) {
		if d, err := c.Transport.Check(ctx, parent); err == nil && d.Allowed && len(r.Allowed) < mostAllowed {
			r.Allowed = append(r.Allowed, shownURL(parent.String()))
		}
	}
}

// parents returns the folders above a page, the nearest first.
func parents(u *url.URL) (all []*url.URL) {
	for at := u.Path; at != "/" && at != "" && len(all) < mostParents; {
		at = path.Dir(strings.TrimSuffix(at, "/"))
		if at == "." {
			at = "/"
		}
		folder := at
		if folder != "/" {
			folder += "/"
		}
		all = append(all, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: folder})
	}
	return all
}

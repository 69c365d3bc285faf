package command

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
	"github.com/spf13/cobra"
)

func sitemapsVerb(std verb.Streams) *cobra.Command {
	var o input.TellOptions
	c := &cobra.Command{
		Use: "sitemaps URL|file...", Short: "print the sitemaps that it names", GroupID: forFiles,
		RunE: func(c *cobra.Command, args []string) error {
			return input.TellEach(c.Context(), "sitemaps", args, o, std, func(s input.Source, o input.TellOptions) string {
				return sitemaps(s, o, std.Err)
			})
		},
	}
	o.Flags(c.Flags(), `write a JSON object a line: {"sitemap":"https://..."}; of several, file too`)
	return c
}

// sitemaps tells the sitemaps that a robots.txt names. It tells warnings what it leaves out.
func sitemaps(s input.Source, o input.TellOptions, warnings io.Writer) string {
	var b strings.Builder
	for written := range robots.Parse(s.Body).Sitemaps() {
		sitemap, ok := sitemapURL(written, s.URL)
		switch {
		case !ok:
			fmt.Fprintln(warnings, "polite sitemaps: left out, as it is no absolute http or https URL:", terminal.Excerpt(written))
		case o.JSON && o.Many:
			b.WriteString(verb.JSONLine(map[string]string{"sitemap": sitemap, "file": s.Name}))
		case o.JSON:
			b.WriteString(verb.JSONLine(map[string]string{"sitemap": sitemap}))
		default:
			b.WriteString(sitemap + "\n")
		}
	}
	return b.String()
}

// sitemapURL returns the URL that a sitemap record names, and whether it can be
// fetched. If base is not nil, it completes a relative URL. All that RFC 3986 allows
// nowhere is percent-encoded, because it may mean something to the next command of a
// pipe, as [1-9] does to curl. So is "'", which xargs takes for a quotation mark.
func sitemapURL(written string, base *url.URL) (sitemap string, ok bool) {
	u, err := url.Parse(written)
	if err != nil {
		return "", false
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	o, err := origin.OfURL(u)
	if !origin.IsHTTP(u) || err != nil || strings.ContainsFunc(o.Host, isNotOfHost) {
		return "", false
	}
	if strings.ContainsFunc(u.Host, func(r rune) bool { return r >= 0x80 }) {
		u.Host = o.RobotsURL().Host // in ASCII
	}
	u.RawPath, u.RawQuery = percentEncoded(u.EscapedPath()), percentEncoded(u.RawQuery)
	return u.String(), true
}

// isNotOfHost reports whether r occurs in no name or address of a host.
func isNotOfHost(r rune) bool { return !isAlphanumeric(r) && !strings.ContainsRune("-._:", r) }

// percentEncoded returns a path or a query with only the characters that it may have
// (RFC 3986 §3.3, §3.4), but for "'".
func percentEncoded(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if isAlphanumeric(rune(c)) || strings.IndexByte("-._~!$&()*+,;=:@/?%", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
)

const sitemapsUsage = `usage: polite sitemaps [--json] URL|file

Prints the sitemaps that a robots.txt names, one a line: that of the site of a
URL, or a file, or standard input for "-". All that it prints are http and https
URLs; relative ones are completed by that of the site. What is no such URL is told
on standard error: "polite records" prints everything as it is written.

    --json   write a JSON object a line: {"sitemap":"https://..."}

Exit status: 0, or 2 for a command that makes no sense, 4 if there is no robots.txt
that can be read, 1 for any other failure.
`

func sitemaps(ctx context.Context, args []string, std stdio) error {
	return tellFile(ctx, "sitemaps", args, std, func(s source, asJSON bool) string {
		var b strings.Builder
		for written := range robots.Parse(s.body).Sitemaps() {
			sitemap, ok := sitemapURL(written, s.url)
			switch {
			case !ok:
				fmt.Fprintln(std.err, "polite sitemaps: left out, as it is no absolute http or https URL:", excerpt(written))
			case asJSON:
				b.WriteString(jsonLine(map[string]string{"sitemap": sitemap}))
			default:
				b.WriteString(sitemap + "\n")
			}
		}
		return b.String()
	})
}

// sitemapURL returns the URL that a sitemap record names, by base if it is relative
// and there is one, and whether it is one to be fetched. The next command of a pipe
// finds nothing in it that is special, as [1-9] is to curl: what RFC 3986 has no place
// for is percent-encoded.
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

// isNotOfHost reports whether no name or address of a host has r in it.
func isNotOfHost(r rune) bool { return !isAlphanumeric(r) && !strings.ContainsRune("-._:", r) }

// percentEncoded returns a path or a query with only what may stand in one (RFC 3986
// §3.3, §3.4).
func percentEncoded(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if isAlphanumeric(rune(c)) || strings.IndexByte("-._~!$&'()*+,;=:@/?%", c) >= 0 {
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

package verb

import (
	"net/url"
	"strings"
)

// Shown returns an argument as it may be shown. If it is a URL, its password is
// hidden. If it only resembles one, Shown hides too much rather than too little.
func Shown(arg string) string {
	start, end := 0, len(arg) // of the part that may have a password
	if u, err := url.Parse(arg); err == nil && u.Host != "" {
		if _, secret := u.User.Password(); !secret {
			return arg
		}
		start = strings.Index(arg, "//")
		if i := strings.IndexAny(arg[start+2:], "/?#"); i >= 0 {
			end = start + 2 + i
		}
	} else if colon := strings.Index(arg, ":/"); colon >= 0 && !strings.ContainsAny(arg[:colon], "/@") {
		start = colon + 1
	}
	for start < end && arg[start] == '/' {
		start++
	}
	part := arg[start:end]
	user, rest, _ := strings.Cut(part, ":")
	at := strings.LastIndexByte(rest, '@')
	if at < 0 || strings.Contains(user, "/") || beginsWithPort(rest) {
		return arg
	}
	return arg[:start] + user + ":xxxxx" + rest[at:] + arg[end:]
}

// beginsWithPort reports whether s is what follows a host: digits, and a path.
func beginsWithPort(s string) bool {
	port, _, ok := strings.Cut(s, "/")
	return ok && port != "" && strings.Trim(port, "0123456789") == ""
}

package told

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-polite/polite/internal/printable"
)

// Head tells the header of a response, in the order of the names. It hides what may be a
// secret: the values of cookies, and passwords of URLs.
func Head(resp *http.Response) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", resp.Proto, printable.Text(resp.Status))
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		for _, value := range resp.Header[name] {
			b.WriteString(headLine(name, value) + "\n")
		}
	}
	return b.String() + "\n"
}

func headLine(name, value string) string {
	switch name {
	case "Set-Cookie":
		value = hideCookie(value)
	case "Location", "Content-Location", "Refresh", "Link":
		value = hidePassword(value)
	}
	line := printable.Text(name + ": " + value)
	if strings.HasPrefix(line, "-") {
		return `\x2d` + line[1:] // it may be an option to the next command of a pipe
	}
	return line
}

// hideCookie hides the value of a cookie, and leaves its attributes.
func hideCookie(cookie string) string {
	pair, attributes, more := strings.Cut(cookie, ";")
	name, _, _ := strings.Cut(pair, "=")
	if more {
		attributes = ";" + attributes
	}
	return name + "=xxxxx" + attributes
}

func hidePassword(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.User == nil {
		return value
	}
	return u.Redacted()
}

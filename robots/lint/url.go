package lint

import (
	"bytes"
	"strings"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// isWebURL reports whether value is an absolute URL with a host.
func isWebURL(value []byte) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if len(value) > len(scheme) && strings.EqualFold(string(value[:len(scheme)]), scheme) {
			return value[len(scheme)] != '/' && !syntax.IsSpace(value[len(scheme)])
		}
	}
	return false
}

// beginsWithHost reports whether a pattern looks like a URL without its scheme, and not
// like the name of a file.
func beginsWithHost(value []byte) bool {
	host, _, _ := bytes.Cut(value, []byte("/"))
	switch dot := bytes.LastIndexByte(host, '.'); string(host[dot+1:]) {
	case "com", "org", "net", "edu", "gov":
		return dot > 0
	}
	return len(host) >= 4 && strings.EqualFold(string(host[:4]), "www.")
}

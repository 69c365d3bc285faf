package origin

import (
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// cutPort cuts an authority into its host and its port. An IPv6 address keeps its
// brackets.
func cutPort(authority string) (host, port string) {
	colon := strings.LastIndexByte(authority, ':')
	if colon <= strings.LastIndexByte(authority, ']') {
		return authority, ""
	}
	return authority[:colon], authority[colon+1:]
}

// spelling returns the one spelling of the host of an authority, without brackets. DNS,
// TLS, HTTP/1.1 and HTTP/2 all use this spelling.
func spelling(host string) (string, error) {
	inner, ok := strings.CutPrefix(host, "[")
	if !ok {
		return name(host)
	}
	inner, ok = strings.CutSuffix(inner, "]")
	if !ok {
		return "", cannotBeSent(host, '[')
	}
	return address(inner)
}

// address returns the one spelling of an IPv6 address (RFC 5952), with its zone.
func address(host string) (string, error) {
	addr, err := netip.ParseAddr(host)
	if err != nil || !addr.Is6() {
		return "", fmt.Errorf("the host %.60q of the URL is no IPv6 address: brackets are for these alone", "["+host+"]")
	}
	if zone := addr.Zone(); strings.ContainsFunc(zone, func(r rune) bool { return r >= utf8.RuneSelf || !inName[r] }) {
		return "", fmt.Errorf("the zone %.60q of the URL's IPv6 address cannot be sent: write its number, as in [fe80::1%%251]", zone)
	}
	var room [64]byte
	if spelled := addr.AppendTo(room[:0]); string(spelled) != host {
		return string(spelled), nil
	}
	return host, nil
}

// name returns the one spelling of a host name or IPv4 address.
func name(host string) (string, error) {
	upper := false
	for i := range len(host) {
		switch c := host[i]; {
		case c >= utf8.RuneSelf:
			return ascii(host)
		case !inName[c]:
			return "", cannotBeSent(host, c)
		case 'A' <= c && c <= 'Z':
			upper = true
		}
	}
	if upper {
		return strings.ToLower(host), nil
	}
	return host, nil
}

// longestName is more octets than a name in UTF-8 has: DNS takes 253 characters.
const longestName = 4 * 253

// ascii returns the one spelling of a name that has characters beyond ASCII
// (RFC 5891 §5). The time that Punycode takes grows with the square of the name.
func ascii(host string) (string, error) {
	if len(host) > longestName {
		return "", fmt.Errorf("the host %.60q of the URL is longer than a name can be: write one that DNS has", host)
	}
	mapped, err := idna.Lookup.ToASCII(host)
	if err != nil || !utf8.ValidString(host) {
		return "", fmt.Errorf("the host %.60q of the URL cannot be written in ASCII, as DNS has it: write a name that can, as in exämple.com or xn--exmple-cua.com", host)
	}
	return name(mapped)
}

// canonical returns the one spelling of a host name or address, which has no brackets. If
// there is no such spelling, it returns the host in lower case.
func canonical(host string) string {
	spell := name
	if strings.Contains(host, ":") {
		spell = address
	}
	if spelled, err := spell(host); err == nil {
		return spelled
	}
	return strings.ToLower(host)
}

func cannotBeSent(host string, c byte) error {
	advice := "write the name as DNS has it, as in example.com"
	if c == ':' {
		advice = "write an IPv6 address in brackets, as in [::1]"
	}
	return fmt.Errorf("the host %.60q of the URL has a %q, which cannot be sent: %s", host, c, advice)
}

// isPlainName reports whether an authority is a name in its one spelling, without
// a port, as most are.
func isPlainName(authority string) bool {
	for i := range len(authority) {
		if !inPlainName[authority[i]] {
			return false
		}
	}
	return authority != ""
}

const plain = "abcdefghijklmnopqrstuvwxyz0123456789-."

var (
	inPlainName = setOf(plain)
	// RFC 3986 §3.2.2 also allows percent-encoding in a name. It is left out, as not all
	// servers decode it.
	inName = setOf(plain + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "_~" + "!$&'()*+,;=")
)

func setOf(octets string) (set [256]bool) {
	for i := range len(octets) {
		set[octets[i]] = true
	}
	return set
}

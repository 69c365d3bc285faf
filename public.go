package polite

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	"github.com/go-polite/polite/internal/origin"
)

// StayPublic is what a nil Policy.CheckRedirect does. It refuses a redirect from a
// host of the public internet to one that is not: to a loopback, private,
// link-local or reserved address, also where an IPv6 address wraps that; to an IPv4
// address in an unusual spelling, as 127.1; to localhost, to a name without a dot,
// and to names that only a private network has, as those under .local and .internal.
// Redirects within one host, and those that a private host makes, may lead anywhere.
//
// Call it in a CheckRedirect of your own to keep what it refuses refused. It does
// not look names up: [DialPublic] refuses those that lead to such addresses.
func StayPublic(from, to *url.URL) error {
	if origin.IsPublic(to.Hostname()) || origin.IsPrivate(from.Hostname()) || isSameHost(from, to) {
		return nil
	}
	return errors.New("from a public host to one that is not")
}

// DialPublic refuses to connect to an address that is not of the public internet.
// Set it as the Control of the net.Dialer that Base connects with:
//
//	dialer := &net.Dialer{Control: polite.DialPublic}
//	base := &http.Transport{DialContext: dialer.DialContext}
//
// The dialer calls it when names have been looked up, with the address that it is
// about to connect to. So it holds for all that Base sends: for a name that leads to
// a private address now and to a public one a moment before, for redirects of
// robots.txt, and for pages and their redirects.
//
// What Base sends through a proxy, the proxy connects; then DialPublic sees no more
// than the proxy's own address. A network that reaches IPv4 through 64:ff9b:1::/48
// (RFC 8215) needs a Control of its own, since that may lead anywhere.
func DialPublic(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !origin.IsPublicAddr(to.Addr()) {
		return errors.New("not an address of the public internet")
	}
	return nil
}

func isSameHost(a, b *url.URL) bool { return strings.EqualFold(a.Hostname(), b.Hostname()) }

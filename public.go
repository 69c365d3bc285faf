package polite

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	"github.com/go-polite/polite/internal/origin"
)

// StayPublic is what a nil Policy.CheckRedirect does. It refuses a redirect to a host
// that is not of the public internet:
//
//   - a loopback, private, link-local or reserved address, also inside an IPv6 address;
//   - an IPv4 address in an unusual spelling, such as 127.1;
//   - localhost, and every other name without a dot;
//   - a name that only a private network has, such as one under .local or .internal.
//
// It allows every redirect within one host, and every redirect by a private host.
//
// If you write your own CheckRedirect, call StayPublic in it. Otherwise nothing refuses
// these redirects. StayPublic does not look up names. [DialPublic] refuses names that
// lead to such addresses.
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
// The dialer looks up the name first. Then it calls DialPublic with the address that it
// is about to connect to. So it covers everything that Base sends: pages, robots.txt
// and their redirects. It also covers a name that led to a public address a moment ago
// and leads to a private one now.
//
// If Base uses a proxy, DialPublic sees only the proxy's address. It cannot check the
// site's. DialPublic refuses all addresses under 64:ff9b:1::/48 (RFC 8215), since they
// may lead anywhere. If your network reaches IPv4 through them, write your own Control.
func DialPublic(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !origin.IsPublicAddr(to.Addr()) {
		return errors.New("not an address of the public internet")
	}
	return nil
}

func isSameHost(a, b *url.URL) bool { return strings.EqualFold(a.Hostname(), b.Hostname()) }

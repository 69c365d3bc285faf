// Package public keeps a crawler on the public internet. The crawler stays out of the network in which
// it runs, even if a site redirects there, or if the name of a site leads there.
package public

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	"github.com/go-polite/polite/internal/origin"
)

// ErrPrivate means that [Control] or [Redirect] has refused an address: it is not of the public
// internet. errors.Is finds it in a *polite.NoRulesError, or in an error of Base if Control has
// refused to connect for a page. Leave the site alone.
var ErrPrivate = errors.New("polite: not an address of the public internet")

// A refusal is ErrPrivate, and says in a few words why.
type refusal string

func (r refusal) Error() string { return string(r) }

func (r refusal) Unwrap() error { return ErrPrivate }

// Control refuses to connect to an address that is not of the public internet. Set it as the
// Control of the net.Dialer that Base connects with:
//
//	dialer := &net.Dialer{Control: public.Control}
//	base := &http.Transport{DialContext: dialer.DialContext}
//
// The dialer looks up the name first. Then it calls Control with the address that it is about to
// connect to. So it covers everything that Base sends: pages, robots.txt and their redirects. It
// also covers a name that led to a public address a moment ago and leads to a private one now.
//
// If Base uses a proxy, Control sees only the proxy's address. It cannot check the address of the site.
// Control refuses all addresses under 64:ff9b:1::/48 (RFC 8215), since they may lead anywhere. If your
// network reaches IPv4 through them, write your own Control. The error is ErrPrivate. Control is safe
// for concurrent use.
func Control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !origin.IsPublicAddr(to.Addr()) {
		return refusal("not an address of the public internet")
	}
	return nil
}

// Redirect refuses a redirect to a host that is not of the public internet:
//
//   - a loopback, private, link-local or reserved address, also inside an IPv6 address;
//   - an IPv4 address in an unusual spelling, such as 127.1;
//   - localhost, and every other name without a dot;
//   - a name that only a private network has, such as one under .local or .internal.
//
// It allows every redirect within one host, and every redirect by a private host. A nil
// Policy.CheckRedirect of polite is Redirect. If you write your own, call Redirect in it:
// otherwise nothing refuses these redirects. Redirect does not look up names: [Control] refuses
// names that lead to such addresses. The error is ErrPrivate. Redirect is safe for concurrent use.
func Redirect(from, to *url.URL) error {
	if origin.IsPublic(to.Hostname()) || origin.IsPrivate(from.Hostname()) || strings.EqualFold(from.Hostname(), to.Hostname()) {
		return nil
	}
	return refusal("from a public host to one that is not")
}

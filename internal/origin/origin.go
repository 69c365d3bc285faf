// Package origin tells which server a request is for: the scheme, host and port
// whose robots.txt governs it (RFC 9309 §2.3).
package origin

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/net/idna"
)

// An Origin is the server that a request is for. Two requests have the same
// robots.txt if their origins are equal.
type Origin struct {
	Host string // in lower case, IDN as punycode, IPv6 without brackets
	Dial string // the host and port to connect to, if that is another; else ""
	Port uint16
	TLS  bool
}

// IsHTTP reports whether u has an origin: robots.txt is for HTTP alone.
func IsHTTP(u *url.URL) bool {
	if u == nil {
		return false
	}
	return isHTTPS(u) || u.Scheme == "http" || strings.EqualFold(u.Scheme, "http")
}

// Of returns the origin of an HTTP request, which is what its Host header says
// if that is not what its URL does, and the path and query that it asks for. The
// latter may lie in room, and is then good for as long as that is not changed.
func Of(req *http.Request, room []byte) (o Origin, target string, err error) {
	host := req.Host
	target = requestURI(req.URL, room) // what is sent is what is matched
	switch {
	case strings.Contains(target, "#"):
		return Origin{}, "", errors.New(`the request has a "#" where only "%23" can be sent`)
	case target == "*":
		target = "/" // of the server as a whole (RFC 9112 §3.2.4)
	case !strings.HasPrefix(target, "/"):
		absolute, err := url.Parse(strings.Clone(target))
		if err != nil || !strings.EqualFold(absolute.Scheme, req.URL.Scheme) || absolute.Host == "" {
			return Origin{}, "", errors.New(`the path of the request does not begin with "/"`)
		}
		host, target = absolute.Host, absolute.RequestURI() // Host does not count (§3.2.2)
	}
	if host == "" {
		host = req.URL.Host
	}
	tls := isHTTPS(req.URL)
	if host == req.URL.Host && isPlainName(host) {
		return Origin{TLS: tls, Host: host, Port: defaultPort(tls)}, target, nil
	}
	if o, err = parse(tls, req.URL.Host); err != nil || host == req.URL.Host {
		return o, target, err
	}
	effective, err := parse(o.TLS, host)
	if err == nil && effective != o {
		effective.Dial = o.hostPort()
	}
	return effective, target, err
}

// requestURI is u.RequestURI, but puts together what it has to in room.
func requestURI(u *url.URL, room []byte) string {
	if u.Opaque != "" || u.RawQuery == "" {
		return u.RequestURI()
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	room = append(room, path...)
	room = append(room, '?')
	room = append(room, u.RawQuery...)
	return unsafe.String(unsafe.SliceData(room), len(room))
}

// OfURL returns the origin of an HTTP URL.
func OfURL(u *url.URL) (Origin, error) { return parse(isHTTPS(u), u.Host) }

func isHTTPS(u *url.URL) bool { return u.Scheme == "https" || strings.EqualFold(u.Scheme, "https") }

func parse(tls bool, authority string) (Origin, error) {
	if strings.Contains(authority, "@") {
		return Origin{}, errors.New("a user name in the host of the URL, where none can be sent")
	}
	host := url.URL{Host: authority}
	o := Origin{TLS: tls, Host: canonical(host.Hostname()), Port: defaultPort(tls)}
	if o.Host == "" {
		return Origin{}, errors.New("the URL has no host: write it as in https://example.com/")
	}
	if port := host.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return Origin{}, fmt.Errorf("port %.20s of the URL is not between 0 and 65535", port)
		}
		o.Port = uint16(n)
	}
	return o, nil
}

// isPlainName reports whether an authority is a name in its one spelling, without
// a port, as most are.
func isPlainName(authority string) bool {
	for i := range len(authority) {
		if !isPlain[authority[i]] {
			return false
		}
	}
	return authority != ""
}

var isPlain = func() (table [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789-.") {
		table[c] = true
	}
	return table
}()

// canonical returns the one spelling of a host name or address.
func canonical(host string) string {
	var upper bool
	for i := range len(host) {
		switch c := host[i]; {
		case c >= 0x80:
			folded := strings.ToLower(host)
			for _, name := range []string{host, folded} {
				if ascii, err := idna.Lookup.ToASCII(name); err == nil {
					return ascii
				}
			}
			return folded
		case c == ':':
			if addr, err := netip.ParseAddr(host); err == nil {
				return addr.String()
			}
		case 'A' <= c && c <= 'Z':
			upper = true
		}
	}
	if upper {
		return strings.ToLower(host)
	}
	return host
}

func defaultPort(tls bool) uint16 {
	if tls {
		return 443
	}
	return 80
}

// String returns the origin as a URL without a path.
func (o Origin) String() string {
	u := url.URL{Scheme: o.scheme(), Host: o.authority()}
	return u.String()
}

// Key returns a string that no other origin has.
func (o Origin) Key() string {
	return o.String() + " " + o.Dial
}

// RobotsURL returns the URL of the origin's robots.txt.
func (o Origin) RobotsURL() *url.URL {
	return &url.URL{Scheme: o.scheme(), Host: o.authority(), Path: "/robots.txt"}
}

// Aim makes req, whose URL is of this origin, connect to where o is found.
func (o Origin) Aim(req *http.Request) {
	if o.Dial != "" {
		req.Host = req.URL.Host
		req.URL.Host = o.Dial
	}
}

func (o Origin) scheme() string {
	if o.TLS {
		return "https"
	}
	return "http"
}

// authority returns the host, with the port unless it is the scheme's own.
func (o Origin) authority() string {
	switch {
	case o.Port != defaultPort(o.TLS):
		return o.hostPort()
	case strings.Contains(o.Host, ":"):
		return "[" + o.Host + "]"
	default:
		return o.Host
	}
}

func (o Origin) hostPort() string {
	return net.JoinHostPort(o.Host, strconv.Itoa(int(o.Port)))
}

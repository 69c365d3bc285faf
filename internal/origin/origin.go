// Package origin finds the origin of a request: the scheme, host and port whose
// robots.txt governs it (RFC 9309 §2.3).
package origin

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// An Origin is the scheme, host and port of a request. Two requests have the same
// robots.txt if their origins are equal.
type Origin struct {
	Host string // in its one spelling: lower case, IDN as punycode, IPv6 without brackets
	Dial string // the host and port to connect to, if they are others; else ""
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

// Of returns the origin of an HTTP request, and the path and query as they are sent. If
// the Host header and the URL differ, the Host header names the origin. The path and
// query may lie in room: they are good until room changes.
func Of(req *http.Request, room []byte) (o Origin, target string, err error) {
	if host := req.URL.Host; (req.Host == "" || req.Host == host) && isPlainName(host) {
		o.TLS, o.Host = isHTTPS(req.URL), host
		o.Port = defaultPort(o.TLS)
	} else if o, err = server(req); err != nil {
		return Origin{}, "", err
	}
	if target, err = o.target(req, room); err != nil {
		return Origin{}, "", err
	}
	return o, target, nil
}

// OfRequest returns the origin of an HTTP request, as Of does.
func OfRequest(req *http.Request) (Origin, error) {
	if host := req.URL.Host; (req.Host == "" || req.Host == host) && isPlainName(host) {
		tls := isHTTPS(req.URL)
		return Origin{TLS: tls, Host: host, Port: defaultPort(tls)}, nil
	}
	return server(req)
}

// server returns the origin of req.
func server(req *http.Request) (Origin, error) {
	tls, host := isHTTPS(req.URL), req.Host
	if host == "" {
		host = req.URL.Host
	}
	o, err := parse(tls, host)
	if err != nil || host == req.URL.Host {
		return o, err
	}
	dialed, err := parse(tls, req.URL.Host)
	if err == nil && dialed != o {
		o.Dial = dialed.hostPort()
	}
	return o, err
}

// OfURL returns the origin of an HTTP URL.
func OfURL(u *url.URL) (Origin, error) { return parse(isHTTPS(u), u.Host) }

func isHTTPS(u *url.URL) bool { return u.Scheme == "https" || strings.EqualFold(u.Scheme, "https") }

// parse returns the origin at authority, which is a host and maybe a port.
func parse(tls bool, authority string) (Origin, error) {
	if strings.Contains(authority, "@") {
		return Origin{}, errors.New("a user name in the host of the URL, where none can be sent")
	}
	name, port := cutPort(authority)
	host, err := spelling(name)
	if err != nil {
		return Origin{}, err
	}
	if host == "" {
		return Origin{}, errors.New("the URL has no host: write it as in https://example.com/")
	}
	o := Origin{TLS: tls, Host: host, Port: defaultPort(tls)}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return Origin{}, fmt.Errorf("port %.20s of the URL is not between 0 and 65535", port)
		case err != nil:
			return Origin{}, fmt.Errorf("port %.20q of the URL is no number: write it as in https://example.com:8443/", port)
		}
		o.Port = uint16(n)
	}
	return o, nil
}

func defaultPort(tls bool) uint16 {
	if tls {
		return 443
	}
	return 80
}

// Hash returns a number that is equal for equal origins. Without seed, nobody can find
// origins for which it is equal.
func (o Origin) Hash(seed maphash.Seed) uint64 {
	const odd = 0x9E3779B97F4A7C15 // 2⁶⁴ divided by the golden ratio
	hash := maphash.String(seed, o.Host) + uint64(o.Port)*odd
	if o.TLS {
		hash = ^hash
	}
	if o.Dial != "" {
		hash ^= maphash.String(seed, o.Dial) * odd
	}
	return hash
}

// String returns the origin as a URL without a path.
func (o Origin) String() string {
	u := url.URL{Scheme: o.scheme(), Host: o.authority()}
	return u.String()
}

// Key returns a string that no other origin has.
func (o Origin) Key() string {
	if o.Dial == "" {
		return o.String()
	}
	return o.String() + " " + o.Dial
}

// OfKey returns the origin with a Key.
func OfKey(key string) (Origin, error) {
	text, dial, _ := strings.Cut(key, " ")
	u, err := url.Parse(text)
	if err != nil {
		return Origin{}, err
	}
	o, err := OfURL(u)
	if o.Dial = dial; err == nil && o.Key() != key {
		err = errors.New("not the key of an origin")
	}
	return o, err
}

// Own returns a copy of o that does not keep the URL that it is a part of.
func (o Origin) Own() Origin {
	o.Host, o.Dial = strings.Clone(o.Host), strings.Clone(o.Dial)
	return o
}

// Size returns the octets in the texts of o.
func (o Origin) Size() int { return len(o.Host) + len(o.Dial) }

// RobotsURL returns the URL of the origin's robots.txt.
func (o Origin) RobotsURL() *url.URL {
	return &url.URL{Scheme: o.scheme(), Host: o.authority(), Path: "/robots.txt"}
}

// Spells reports whether req, whose origin is o, spells the host and port as o does. Then
// Aim has nothing to do.
func (o *Origin) Spells(req *http.Request) bool {
	return (req.Host == "" || o.isAuthority(req.Host)) && o.isFoundAt(req.URL.Host)
}

// Aim makes req connect to the host of o, and gives it the Host header of o in its one
// spelling. The caller must own req. Left to itself, net/http connects to one spelling of
// a name and sends another.
func (o Origin) Aim(req *http.Request) {
	req.Host = o.authority()
	if !o.isFoundAt(req.URL.Host) {
		req.URL.Host = cmp.Or(o.Dial, req.Host)
	}
}

// isFoundAt reports whether a request to o connects to authority.
func (o *Origin) isFoundAt(authority string) bool {
	if o.Dial == "" {
		return o.isAuthority(authority)
	}
	port, ok := strings.CutPrefix(o.Dial, authority)
	return ok && (port == "" || port == ":443" && o.TLS || port == ":80" && !o.TLS)
}

func (o Origin) scheme() string {
	if o.TLS {
		return "https"
	}
	return "http"
}

// authority returns the host, with the port unless it is the scheme's own.
func (o Origin) authority() string { return string(o.appendAuthority(nil)) }

func (o *Origin) isAuthority(s string) bool {
	if s == o.Host && o.Port == defaultPort(o.TLS) {
		return true
	}
	var room [64]byte // mostly enough, so that nothing is allocated
	return s == string(o.appendAuthority(room[:0]))
}

func (o *Origin) appendAuthority(b []byte) []byte {
	if strings.Contains(o.Host, ":") {
		b = append(b, '[')
		b = append(b, o.Host...)
		b = append(b, ']')
	} else {
		b = append(b, o.Host...)
	}
	if o.Port != defaultPort(o.TLS) {
		b = append(b, ':')
		b = strconv.AppendUint(b, uint64(o.Port), 10)
	}
	return b
}

func (o Origin) hostPort() string {
	return net.JoinHostPort(o.Host, strconv.Itoa(int(o.Port)))
}

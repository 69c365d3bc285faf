// Package origin finds the origin of a request: the scheme, host and port whose
// robots.txt governs it (RFC 9309 §2.3).
package origin

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/net/idna"
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
	if o, err = OfRequest(req); err == nil {
		target, err = o.target(req, room)
	}
	if err != nil {
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
	return ok && (port == "" || port == portOf(o.TLS))
}

// portOf returns the scheme's own port, as it follows a host.
func portOf(tls bool) string {
	if tls {
		return ":443"
	}
	return ":80"
}

func (o Origin) scheme() string {
	if o.TLS {
		return "https"
	}
	return "http"
}

// authority returns the host, with the port unless it is the scheme's own.
func (o Origin) authority() string { return string(o.appendAuthority(nil)) }

// isAuthority reports whether s is the authority of o. The scheme's own port and the root's dot are sent as
// written.
func (o *Origin) isAuthority(s string) bool {
	if o.Port == defaultPort(o.TLS) {
		if s == o.Host {
			return true
		}
		s = strings.TrimSuffix(s, portOf(o.TLS))
	}
	if at := len(o.Host); len(s) > at && s[at] == '.' && strings.HasPrefix(s, o.Host) {
		s = o.Host + s[at+1:]
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
		spelled, err := name(host)
		if len(spelled) > 1 && !strings.HasSuffix(spelled, "..") {
			spelled = strings.TrimSuffix(spelled, ".") // the root's dot (RFC 1034 §3.1)
		}
		return spelled, err
	}
	inner, ok = strings.CutSuffix(inner, "]")
	if !ok {
		return "", cannotBeSent(host, '[')
	}
	return address(inner)
}

// address returns the one spelling of an IPv6 address (RFC 5952), with its zone. An IPv4 address in the
// form of IPv6 is that IPv4 address (RFC 4291 §2.5.5.2).
func address(host string) (string, error) {
	addr, err := netip.ParseAddr(host)
	if err != nil || !addr.Is6() {
		return "", fmt.Errorf("the host %.60q of the URL is no IPv6 address: brackets are for these alone", "["+host+"]")
	}
	if zone := addr.Zone(); strings.ContainsFunc(zone, func(r rune) bool { return r >= utf8.RuneSelf || !inName[r] }) {
		return "", fmt.Errorf("the zone %.60q of the URL's IPv6 address cannot be sent: write its number, as in [fe80::1%%251]", zone)
	}
	if addr.Is4In6() && addr.Zone() == "" {
		return addr.Unmap().String(), nil
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
	return authority != "" && authority[len(authority)-1] != '.'
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

// Folded returns target, a path and its query, with the path as most servers read it:
// several slashes are one, and then dot segments are removed (RFC 3986 §5.2.4), even if
// their dots are percent-encoded. The query is left as it is. If there is nothing to
// fold, it returns target and allocates nothing.
//
// An encoded slash stays what it is (RFC 9309 §2.2.2). So does a backslash: few servers
// take it for a slash. The others serve "/private\..\a" as it stands, and not /a.
func Folded(target string) string {
	path, query := target, ""
	if i := strings.IndexByte(target, '?'); i >= 0 {
		path, query = target[:i], target[i:]
	}
	if !strings.HasPrefix(path, "/") || isFolded(path) {
		return target
	}
	folded, down := make([]byte, 0, len(target)), 0
	for segment := range strings.SplitSeq(path[1:], "/") {
		switch down = levels(segment); down {
		case 1:
			folded = append(append(folded, '/'), segment...)
		case -1:
			folded = folded[:max(0, bytes.LastIndexByte(folded, '/'))]
		}
	}
	if down != 1 { // the last segment: the target is a folder
		folded = append(folded, '/')
	}
	return string(append(folded, query...))
}

func isFolded(path string) bool {
	for segment, rest := "", path[1:]; rest != ""; {
		if segment, rest, _ = strings.Cut(rest, "/"); levels(segment) != 1 {
			return false
		}
	}
	return true
}

// levels returns how many levels a segment of a path leads down: "." and "" none,
// ".." one up.
func levels(segment string) int {
	dots := 0
	for ; segment != ""; dots++ {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && strings.EqualFold(segment[:3], "%2e"):
			segment = segment[3:]
		default:
			return 1
		}
	}
	switch dots {
	case 0, 1:
		return 0
	case 2:
		return -1
	default:
		return 1
	}
}

// target returns the path and query of a request for o, exactly as net/http sends them,
// so that rules are matched against what is sent. A request that may reach the server in
// more than one spelling is an error.
func (o *Origin) target(req *http.Request, room []byte) (string, error) {
	u := req.URL
	if req.Method == http.MethodConnect && !isExtended(req) {
		return "/", o.tunnel(u)
	}
	if u.RawQuery != "" || u.Opaque != "" {
		if err := sendable(u); err != nil {
			return "", err
		}
	}
	switch target := requestURI(u, room); {
	case strings.HasPrefix(target, "/"):
		return target, nil
	case target == "*":
		return "/", nil // of the server as a whole (RFC 9112 §3.2.4)
	case u.Opaque == "":
		return "", errors.New(`the path of the request does not begin with "/": write it as in "/page"`)
	default:
		return o.absolute(target)
	}
}

// sendable returns an error if the raw parts of u must not be sent as they are: a server
// could think that the target ends early. The path is always escaped.
func sendable(u *url.URL) error {
	for _, raw := range [2]string{u.RawQuery, u.Opaque} {
		for i := range len(raw) { // mostly short: three calls of IndexByte take longer
			if c := raw[i]; c == '#' || c == '\r' || c == '\n' {
				return fmt.Errorf(`the request has a %q where only "%%%02X" can be sent`, c, c)
			}
		}
	}
	return nil
}

// requestURI is u.RequestURI. If it has to join parts, it joins them in room.
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

// absolute returns the path and query of a target in absolute form. HTTP/1.1 sends the
// target as it is. Then some servers go by the host in it, and some by the Host header
// (RFC 9112 §3.2.2). HTTP/2 sends only the part after the host. So the host has to be the
// host of o, in its one spelling.
func (o *Origin) absolute(target string) (string, error) {
	rest, ok := strings.CutPrefix(target, o.scheme()+"://"+o.authority())
	switch {
	case ok && rest == "":
		return "/", nil
	case ok && rest[0] == '/':
		return rest, nil
	case ok && rest[0] == '?':
		return "/" + rest, nil
	}
	return "", fmt.Errorf(`the path of the request does not begin with "/", and URL.Opaque not with where it goes: write "/page" or "//%s/page"`, o.authority())
}

// tunnel returns an error if a CONNECT request for u must not be sent. HTTP/1.1 sends
// URL.Opaque or else the path, and HTTP/2 sends the host alone. So URL.Opaque has to be
// the host or empty, and the path has to be empty.
func (o *Origin) tunnel(u *url.URL) error {
	if path := u.EscapedPath(); path != "" && path != "/" || u.RawQuery != "" || u.ForceQuery {
		return errors.New("a CONNECT request asks for a host alone: leave the path and the query of the URL empty")
	}
	if u.Opaque != "" && u.Opaque != o.hostPort() {
		return fmt.Errorf("URL.Opaque of the CONNECT request is not where it goes: write %q, or leave it empty", o.hostPort())
	}
	return nil
}

// isExtended reports whether a CONNECT request names a protocol, and has a path
// like any other (RFC 8441 §4).
func isExtended(req *http.Request) bool {
	protocol := req.Header[":protocol"]
	return len(protocol) > 0 && protocol[0] != ""
}

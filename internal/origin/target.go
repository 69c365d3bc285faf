package origin

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unsafe"
)

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

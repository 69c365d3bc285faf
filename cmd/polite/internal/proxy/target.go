package proxy

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
)

// oddPorts are those of other services, such as mail. A request of HTTP that is sent there may
// mean something else, so no browser sends one (Fetch standard, §2.9).
func oddPorts() []int {
	return []int{
		0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111,
		113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554,
		556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666,
		6667, 6668, 6669, 6679, 6697, 10080,
	}
}

// targetOf returns the site that a request to the proxy is for. A web page can send no such
// request: neither CONNECT nor the absolute form.
func targetOf(r *http.Request) (at origin.Origin, problem *refusal) {
	u := r.URL
	switch {
	case r.Method == http.MethodConnect:
		_, port, err := net.SplitHostPort(r.Host)
		if u = (&url.URL{Scheme: "https", Host: r.Host}); err != nil || port == "" || u.Hostname() == "" {
			return at, untargeted("CONNECT takes a host and a port, as in example.com:443")
		}
	case !origin.IsHTTP(u) || u.Opaque != "":
		return at, untargeted("this is a proxy: set it as that of a program, and ask the program for http and https URLs")
	}
	at, err := origin.OfURL(u)
	switch {
	case err != nil:
		return at, untargeted(printable.Text(err.Error()))
	case slices.Contains(oddPorts(), int(at.Port)):
		return at, &refusal{
			status: http.StatusForbidden, kind: KindProtocol,
			text: fmt.Sprintf("polite proxy: port %d is not for web pages: the proxy is for HTTP alone", at.Port),
		}
	}
	return at, nil
}

// untargeted is the refusal of a request that is for no site.
func untargeted(advice string) *refusal {
	return &refusal{status: http.StatusBadRequest, kind: KindTarget, text: "polite proxy: " + advice}
}

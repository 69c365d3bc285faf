package polite_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A page goes to the host whose robots.txt was asked for: to the same address,
// with the same Host, by HTTP/1.1 and HTTP/2.
func TestHostThatIsAsked(t *testing.T) {
	tests := []struct {
		url, host string // of the request, its Host "" if the URL's
		sent      string // as Host, after which the server is known
		dialed    string // without the scheme's port
	}{
		{"//example.com", "", "example.com", "example.com"},
		{"//EXAMPLE.com", "", "example.com", "example.com"},
		{"//example.com:", "", "example.com", "example.com"},
		{"//example.com:PORT", "", "example.com", "example.com"},
		{"//example.com:0PORT", "", "example.com", "example.com"},
		{"//example.com.", "", "example.com.", "example.com."},
		{"//EXAMPLE.com.", "", "example.com.", "example.com."},
		{"//a_b.example", "", "a_b.example", "a_b.example"},
		{"//exämple.com", "", "xn--exmple-cua.com", "xn--exmple-cua.com"},
		{"//EXÄMPLE.com", "", "xn--exmple-cua.com", "xn--exmple-cua.com"},
		{"//exa\u0308mple.com", "", "xn--exmple-cua.com", "xn--exmple-cua.com"},
		{"//ex%C3%A4mple.com", "", "xn--exmple-cua.com", "xn--exmple-cua.com"},
		{"//XN--EXMPLE-CUA.com", "", "xn--exmple-cua.com", "xn--exmple-cua.com"},
		{"//①.example", "", "1.example", "1.example"},
		{"//a。example", "", "a.example", "a.example"},
		{"//日本語。ＪＰ", "", "xn--wgv71a119e.jp", "xn--wgv71a119e.jp"},
		{"//１２７.0.0.1", "", "127.0.0.1", "127.0.0.1"},
		{"//[0:0::1]", "", "[::1]", "[::1]"},
		{"//127.0.0.1", "EXÄMPLE.com", "xn--exmple-cua.com", "127.0.0.1"},
		{"//①.example", "example.com", "example.com", "1.example"},
		{"//①.example", "①。example", "1.example", "1.example"},
		{"//example.com", "EXAMPLE.com:PORT", "example.com", "example.com"},
	}
	for scheme, port := range map[string]string{"http": "80", "https": "443"} {
		inScheme := strings.NewReplacer("//", scheme+"://", "PORT", port)
		for _, test := range tests {
			t.Run(scheme+" "+test.url+" of "+test.host, func(t *testing.T) {
				web := origintest.New(t)
				web.Robots(test.sent, origintest.Text(rules))
				transport, dials := counted(t, web)
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				for path, want := range map[string]error{"/public": nil, "/private": polite.ErrDisallowed} {
					req, err := http.NewRequestWithContext(ctx, "GET", inScheme.Replace(test.url)+path, nil)
					require.NoError(t, err)
					if test.host != "" {
						req.Host = inScheme.Replace(test.host)
					}
					before := snapshot(req)
					resp, err := transport.RoundTrip(req)
					require.ErrorIs(t, err, want)
					assert.Equal(t, before, snapshot(req), "the request is not changed")
					if err == nil {
						resp.Body.Close()
					}
				}
				site := scheme + "://" + test.sent
				assert.ElementsMatch(t, []string{"GET " + site + "/robots.txt", "GET " + site + "/public"}, strings.Split(strings.TrimSpace(web.Log().String()), "\n"))
				assert.Equal(t, []string{test.dialed + ":" + port}, slices.Compact(dials.all()))
			})
		}
	}
}

// A host that net/http spells in two ways, so that it never finds the connection
// that it has made, is connected to once.
func TestOneConnection(t *testing.T) {
	const odd = "https://①.example"
	web := origintest.New(t)
	web.Page("example.com", "/to-odd", origintest.Redirect(odd+"/public"))
	web.Robots("other.example", origintest.Redirect(odd+"/rules"))
	web.Page("1.example", "/rules", origintest.Text(rules))
	for _, url := range []string{odd + "/public", "https://example.com/to-odd", "https://other.example/public"} {
		t.Run(url, func(t *testing.T) {
			transport, dials := counted(t, web)
			client := &http.Client{Transport: transport, Timeout: 5 * time.Second}
			status, err := get(client, url)
			require.NoError(t, err)
			assert.Equal(t, 200, status)
			to := dials.all()
			slices.Sort(to)
			assert.Equal(t, slices.Compact(slices.Clone(to)), to, "each host once")
			assert.Contains(t, to, "1.example:443")
		})
	}
}

// A host that has no spelling in ASCII is asked nothing.
func TestHostThatCannotBeSent(t *testing.T) {
	for host, problem := range map[string]string{
		"xn--exämple":      `polite: the host "xn--exämple" of the URL cannot be written in ASCII`,
		"a\u202eb.example": `the host "a\u202eb.example" of the URL cannot be written in ASCII`,
		"\xff.example":     "cannot be written in ASCII",
		"a b":              `the host "a b" of the URL has a ' ', which cannot be sent`,
		"::1":              "write an IPv6 address in brackets, as in [::1]",
		"%65xample.com":    `has a '%', which cannot be sent: write the name as DNS has it, as in example.com`,
	} {
		for _, u := range []url.URL{{Host: host}, {Host: "example.com", Opaque: "//" + host + "/"}} {
			web := origintest.New(t)
			transport, dials := counted(t, web)
			u.Scheme, u.Path = "http", "/"
			sent := newBody()
			req := &http.Request{Method: "POST", URL: &u, Header: http.Header{}, Body: sent}
			if u.Opaque != "" {
				req.Host = host
			}
			_, err := transport.RoundTrip(req)
			assert.ErrorContains(t, err, problem)
			assert.NotErrorIs(t, err, polite.ErrDisallowed)
			assert.EqualValues(t, 1, sent.closed.Load(), "body closed")
			assert.Empty(t, dials.all())
		}
	}
}

// A request-target in absolute form is judged in the spelling and by the host in
// which it is sent, or not sent.
func TestTargetThatIsSent(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: *\ndisallow: /a%2Fb\ndisallow: /c//\n"))
	transport := newTransport(t, web)
	for _, test := range []struct {
		method, opaque string
		problem        string // "" if it is sent
	}{
		{"GET", "//example.com/a%2Fb|", `"disallow: /a%2Fb"`},
		{"GET", "http://example.com/a%2Fb|", `"disallow: /a%2Fb"`},
		{"GET", "//example.com/c//../d", `"disallow: /c//"`},
		{"GET", "//example.com/a/b|", ""},
		{"GET", "//other.example/a", `write "/page" or "//example.com/page"`},
		{"CONNECT", "other.example:80", `write "example.com:80", or leave it empty`},
		{"CONNECT", "example.com:80", ""},
	} {
		web.Take()
		req := &http.Request{Method: test.method, URL: &url.URL{Scheme: "http", Host: "example.com", Opaque: test.opaque}, Header: http.Header{}}
		resp, err := transport.RoundTrip(req.WithContext(t.Context()))
		if test.problem != "" {
			assert.ErrorContains(t, err, test.problem, test.opaque)
			assert.Empty(t, web.Take().Pages(), test.opaque)
			continue
		}
		require.NoError(t, err, test.opaque)
		resp.Body.Close()
		assert.Len(t, web.Take().Pages(), 1, test.opaque)
	}
}

// A dialing is what a transport has connected to.
type dialing struct {
	mu sync.Mutex
	to []string
}

func (d *dialing) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.to)
}

// counted returns a transport to web, and what it connects to.
func counted(t testing.TB, web *origintest.Server) (*polite.Transport, *dialing) {
	d := new(dialing)
	transport := newTransport(t, web)
	base := transport.Base.(*http.Transport)
	dial := base.DialContext
	base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		d.mu.Lock()
		d.to = append(d.to, address)
		d.mu.Unlock()
		return dial(ctx, network, address)
	}
	return transport, d
}

package request

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/public"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRedirect(t *testing.T) {
	tests := []struct {
		from, to string
		ok       bool
	}{
		{"http://example.com/robots.txt", "http://other.example/", true},
		{"http://example.com/robots.txt", "https://example.com:8443/", true},
		{"http://example.com/robots.txt", "http://8.8.8.8/", true},
		{"http://localhost/robots.txt", "http://127.0.0.1:8080/", true},
		{"http://localhost/robots.txt", "http://example.com/", true},
		{"http://web/robots.txt", "http://web2/", true},
		{"http://10.0.0.1/robots.txt", "http://[64:ff9b::a00:1]/", true},
		{"http://192.0.2.1/robots.txt", "http://192.0.2.1:8080/r.txt", true},
		{"http://example.com/robots.txt", "http://localhost/", false},
		{"http://example.com/robots.txt", "http://127.0.0.1/", false},
		{"http://example.com/robots.txt", "http://[64:ff9b::7f00:1]/", false},
		{"http://example.com/robots.txt", "http://[::ffff:0:127.0.0.1]/", false},
		{"http://example.com/robots.txt", "http://[fe80::1%25en0]/", false},
		{"http://example.com/robots.txt", "http://0.1.2.3/", false},
		{"http://example.com/robots.txt", "http://0x7f.1/", false},
		{"http://8.8.8.8/robots.txt", "http://localhost/", false},
		{"http://134744072/robots.txt", "http://localhost/", false}, // 8.8.8.8
		{"http://010.8.8.8/robots.txt", "http://localhost/", false},
		{"http://[64:ff9b:1::808:808]/robots.txt", "http://localhost/", false},
		{"http://[64:ff9b::808:808]/robots.txt", "http://localhost/", false},
	}
	for _, test := range tests {
		err := public.Redirect(conduct.MustParse(t, test.from), conduct.MustParse(t, test.to))
		assert.Equal(t, test.ok, err == nil, "%s to %s", test.from, test.to)
	}
}

func TestControl(t *testing.T) {
	for address, ok := range map[string]bool{
		"8.8.8.8:80": true, "[2001:4860:4860::8888]:443": true, "[64:ff9b::808:808]:80": true,
		"127.0.0.1:80": false, "10.0.0.1:80": false, "169.254.169.254:80": false, "[::1]:80": false, "[fe80::1%en0]:80": false, "[::ffff:10.0.0.1]:80": false, "[64:ff9b::7f00:1]:80": false,
		"/run/socket": false, "": false, "example.com:80": false, "8.8.8.8": false,
	} {
		assert.Equal(t, ok, public.Control("tcp", address, nil) == nil, address)
	}
}

// A name that leads to a public address when robots.txt is asked for, and to this
// machine when the page is, brings nobody to this machine.
func TestRebinding(t *testing.T) {
	outside, loopback := netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("127.0.0.1")
	tests := []struct {
		name    string
		answers []netip.Addr // of the name server for rebind.example: once each, and then the last
		from    string       // where it all begins
		path    string       // of example.com, where it goes on to rebind.example
		arrives string       // on the public web
	}{
		{"from the start", []netip.Addr{loopback}, "rebind.example", "", ""},
		{"after robots.txt", []netip.Addr{outside, loopback}, "rebind.example", "", "rebind.example/robots.txt"},
		{"redirect of robots.txt", []netip.Addr{loopback}, "example.com", "/robots.txt", "example.com/robots.txt"},
		{"redirect of a page", []netip.Addr{outside, loopback}, "example.com", "/", "example.com/robots.txt example.com/ rebind.example/robots.txt"},
	}
	for _, test := range tests {
		for _, guarded := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, guarded %t", test.name, guarded), func(t *testing.T) {
				machine, arrived := newMachine(t)
				web := origintest.New(t)
				web.Page("example.com"+machine, test.path, origintest.Redirect("http://rebind.example"+machine+"/admin"))
				dialer := new(net.Dialer)
				if guarded {
					dialer.Control = public.Control
				}
				base := &http.Transport{DisableKeepAlives: true, DialContext: divert(dialer, &names{answers: test.answers}, web.Transport(t).DialContext)}
				client := polite.Wrap(&http.Client{Transport: base}, conduct.UserAgent)

				_, err := conduct.Get(client, "http://"+test.from+machine+"/")
				if !guarded {
					require.NoError(t, err)
					require.Positive(t, arrived.Load(), "nothing else keeps it away")
					return
				}
				require.ErrorContains(t, err, "dial tcp 127.0.0.1"+machine+": not an address of the public internet")
				require.ErrorIs(t, err, public.ErrPrivate)
				assert.Zero(t, arrived.Load())
				var arrives []string
				for _, arrival := range web.Log() {
					arrives = append(arrives, strings.ReplaceAll(arrival.Host, machine, "")+arrival.URI)
				}
				assert.Equal(t, test.arrives, strings.Join(arrives, " "))
			})
		}
	}
}

// newMachine starts a server on the loopback interface, and returns its port, after a
// colon, and how many requests have arrived.
func newMachine(t *testing.T) (port string, arrived *atomic.Int32) {
	arrived = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
	t.Cleanup(server.Close)
	return ":" + conduct.MustParse(t, server.URL).Port(), arrived
}

type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// divert returns what dials where names lead, as dialer does, but takes to the web where that is
// about to connect to a public address.
func divert(dialer *net.Dialer, names *names, web dial) dial {
	onItsWay := errors.New("on its way to a public address")
	control := dialer.Control
	dialer.Control = func(network, address string, conn syscall.RawConn) error {
		if control != nil {
			if err := control(network, address, conn); err != nil {
				return err
			}
		}
		if strings.HasPrefix(address, "127.") {
			return nil
		}
		return onItsWay
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		conn, err := dialer.DialContext(ctx, network, net.JoinHostPort(names.lookup(host).String(), port))
		if errors.Is(err, onItsWay) {
			return web(ctx, network, address)
		}
		return conn, err
	}
}

// names has 8.8.8.8 for example.com, and each of its answers in turn for rebind.example.
type names struct {
	mu      sync.Mutex
	answers []netip.Addr
}

func (n *names) lookup(host string) netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	if host != "rebind.example" {
		return netip.MustParseAddr("8.8.8.8")
	}
	address := n.answers[0]
	if len(n.answers) > 1 {
		n.answers = n.answers[1:]
	}
	return address
}

// Links to sites whose robots.txt lead to another make no weapon: the other's break
// holds, and no more than two are there at the same time.
func TestRedirectsAreNoWeapon(t *testing.T) {
	const links = 100
	chain := func(web *origintest.Server, takes time.Duration) *conduct.Slow {
		page := &conduct.Slow{Takes: takes}
		for hop := range 4 {
			web.Page("victim.example", fmt.Sprint("/", hop), func(w http.ResponseWriter, r *http.Request) {
				conduct.Raise(&page.Most, page.Now.Add(1))
				defer page.Now.Add(-1)
				origintest.Delay(takes, origintest.Redirect(fmt.Sprint("/", hop+1)))(w, r)
			})
		}
		return page
	}
	crowd := func(client *http.Client, web *origintest.Server) (refused int) {
		var mu sync.Mutex
		var waiting sync.WaitGroup
		for i := range links {
			host := fmt.Sprintf("%d.example", i)
			web.Robots(host, origintest.Redirect("http://victim.example/0"))
			waiting.Go(func() {
				if _, err := conduct.Get(client, "http://"+host+"/"); err != nil {
					mu.Lock()
					defer mu.Unlock()
					refused++
				}
			})
		}
		waiting.Wait()
		return refused
	}
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		page := chain(web, 100*time.Millisecond)
		transport := conduct.NewTransport(t, web)
		transport.Policy.Timeout = time.Hour
		crowd(&http.Client{Transport: transport}, web)
		assert.EqualValues(t, 2, page.Most.Load())
	})
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		chain(web, 0)
		web.Page("victim.example", "/busy", origintest.Status(429, "Retry-After", "3600"))
		client := &http.Client{Transport: conduct.NewTransport(t, web)}
		_, err := conduct.Get(client, "http://victim.example/busy")
		require.NoError(t, err)
		before := len(web.Log().At("victim.example"))
		assert.Equal(t, links, crowd(client, web))
		assert.Len(t, web.Log().At("victim.example"), before, "nothing arrives within the break")
	})
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("victim.example", "/0", origintest.Status(503, "Retry-After", "3600"))
		assert.Equal(t, links, crowd(&http.Client{Transport: conduct.NewTransport(t, web)}, web))
		assert.LessOrEqual(t, len(web.Log().At("victim.example")), 2, "the break of a robots.txt holds for all who are led there")
	})
}

package run

import (
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where others reach the proxy, it has a secret of its own.
func TestProxyForOthers(t *testing.T) {
	for listen, locked := range map[string]bool{"127.0.0.1:0": false, ":0": true} {
		o := proxyOptions{gatewayOptions: gatewayOptions{userAgent: "ExampleBot/1.0"}, door: verb.Door{Address: listen}}
		require.NoError(t, o.take(nil))
		if locked {
			assert.GreaterOrEqual(t, len(o.door.Secret), 26, "%s: 5 bits each", listen)
			assert.Contains(t, o.link(&net.TCPAddr{IP: net.IPv4zero, Port: 1}), "http://polite:"+o.door.Secret+"@0.0.0.0:1/")
		} else {
			assert.Equal(t, proxy.TellsUsers(), o.door.Secret == "", listen)
		}
	}
}

func TestTold(t *testing.T) {
	for want, tally := range map[string]proxy.Tally{
		"0 sent": {},
		"2 sent, 1 waited, for up to 1.3s, 3 refused (disallowed), 1 refused (private), 4 failed, 5 of other users turned away": {
			Sent: 2, Waits: 1, Longest: 1260 * time.Millisecond, Refused: map[string]int64{"private": 1, "disallowed": 3}, Failed: 4, Locked: 5,
		},
	} {
		assert.Equal(t, want, told(tally))
	}
}

// A program that asks for robots.txt gets what the site has answered, as far as that is known.
func TestRobotsOf(t *testing.T) {
	u := &url.URL{Scheme: "https", Host: "a.example"}
	for _, test := range []struct {
		status int
		want   proxy.Robots
	}{
		{200, proxy.Robots{Known: true, Status: 200, Body: []byte("rules")}},
		{403, proxy.Robots{Known: true, Status: 403}},
		{301, proxy.Robots{Known: true, Status: 404}},
		{503, proxy.Robots{}},
	} {
		base := origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			return origintest.Response(req, test.status, "rules", "Location", "/robots.txt"), nil
		})
		kept := new(memstore.Entries)
		transport := &polite.Transport{UserAgent: "ExampleBot", Base: base, Cache: &polite.Cache{Store: kept}}
		got, err := robotsOf(t.Context(), transport, kept, u)
		assert.Equal(t, test.want, got)
		assert.Equal(t, test.status == 503, err != nil, "nobody knows")
		got, _ = robotsOf(t.Context(), transport, new(memstore.Entries), u)
		assert.Equal(t, proxy.Robots{}, got, "it was not kept")
	}
}

// If nothing came, it is told what to try.
func TestSummary(t *testing.T) {
	for _, test := range []struct {
		tally    proxy.Tally
		isolated bool
		want     string
	}{
		{proxy.Tally{Requests: 1, Sent: 1, Locked: 1}, false, "1 sent, 1 of other users turned away"},
		{proxy.Tally{Robots: 1, Tunnels: 1}, false, "0 sent"},
		{proxy.Tally{Tunnels: 1}, true, "does not trust the certificate of polite"},
		{proxy.Tally{}, true, "nothing sent: the command asks for nothing"},
		{proxy.Tally{}, false, "nothing came through polite"},
	} {
		assert.Contains(t, (&behind{isolated: test.isolated}).summary(test.tally), test.want)
	}
	locked := (&behind{}).summary(proxy.Tally{Tunnels: 1, Locked: 1})
	assert.Equal(t, proxy.TellsUsers(), locked == "nothing sent: what the command asks for, it asks as another user than you", locked)
	assert.NotContains(t, locked, "certificate")
}

package proxy_test

import (
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/upstream"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each kind of refusal is a status on which programs act, and says why.
func TestRefusals(t *testing.T) {
	w := newWorld(t, func(transport *polite.Transport, o *proxy.Options) {
		transport.Policy.Purposes = []usage.Use{usage.TrainAI}
		o.MaxWait = 2 * time.Second
		base := transport.Base
		transport.Base = origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			if host := req.URL.Host; (host == "mute.test" || host == "odd.test") && !polite.ForRobots(req) {
				return nil, &net.DNSError{Err: "failed", Name: host, IsTimeout: host == "mute.test"}
			}
			return base.RoundTrip(req)
		})
	})
	w.web.Robots("shop.test", origintest.Text("user-agent: *\ndisallow: /private/\n"))
	w.web.Robots("art.test", origintest.Text("user-agent: *\ncontent-signal: ai-train=no\nallow: /\n"))
	w.web.Robots("down.test", origintest.Status(http.StatusInternalServerError))
	w.web.Robots("slow.test", origintest.Text("user-agent: *\ncrawl-delay: 20\n"))
	w.web.Page("reset.test", "/", origintest.Reset)
	w.web.Lose("lost.test")
	w.web.Distrust("forged.test")
	c := w.client(t)
	get(t, c, "https://slow.test/")
	for _, test := range []struct {
		page, kind, rule string
		code             int
		again            bool
		says             string // among other words
	}{
		{"https://shop.test/private/a", report.KindDisallowed, "https://shop.test/robots.txt:2", 403, false, ""},
		{"https://art.test/", report.KindUse, "https://art.test/robots.txt:2", 403, false, ""},
		{"https://slow.test/a", report.KindDelayed, "", 429, true, " (--max-wait).\n"},
		{"https://down.test/a", report.KindNoRules, "", 503, true, ""},
		{"https://lost.test/a", report.KindNoHost, "", 502, false, ""},
		{"https://forged.test/a", report.KindNoRules, "", 503, true, ""},
		{"http://reset.test/", "", "", 502, false, ""},
		{"http://mute.test/", "", "", 504, false, ""},
		{"http://odd.test/", "", "", 502, false, ""},
		{"http://shop.test:65536/", proxy.KindTarget, "", 400, false, ""},
		{"http://shop.test:25/", proxy.KindProtocol, "", 403, false, ""},
		{"http://shop.test:1/", proxy.KindProtocol, "", 403, false, ""},
	} {
		got := get(t, c, test.page)
		assert.Equal(t, test.code, got.StatusCode, test.page)
		assert.Equal(t, test.kind, got.Header.Get("Polite-Refused"), test.page)
		assert.Equal(t, test.rule, got.Header.Get("Polite-Rule"), test.page)
		assert.Equal(t, "no-store", got.Header.Get("Cache-Control"))
		assert.Equal(t, "text/plain; charset=utf-8", got.Header.Get("Content-Type"))
		assert.True(t, strings.HasPrefix(got.body, "polite"), "%s: %s", test.page, got.body)
		assert.Contains(t, got.body, test.says, test.page)
		seconds, err := strconv.Atoi(got.Header.Get("Retry-After"))
		assert.Equal(t, test.again, err == nil && seconds > 0, "%s: %q", test.page, got.Header.Get("Retry-After"))
	}
	assert.Empty(t, w.web.Log().At("slow.test").Pages()[1:], "one was sent, and none of the refused")
}

// Requests that have their turns soon are held, and not refused.
func TestHolding(t *testing.T) {
	const gap, pages = 400 * time.Millisecond, 4
	w := newWorld(t)
	w.web.Robots("shop.test", origintest.Text("user-agent: *\ncrawl-delay: 0.4\n"))
	c := w.client(t)
	began := time.Now()
	var programs sync.WaitGroup
	for range pages {
		programs.Go(func() {
			resp, err := c.Get("https://shop.test/")
			if assert.NoError(t, err) {
				resp.Body.Close()
				assert.Equal(t, 200, resp.StatusCode)
			}
		})
	}
	programs.Wait()
	log := w.web.Log().Pages()
	require.Len(t, log, pages)
	assert.GreaterOrEqual(t, log[pages-1].Time.Sub(began), (pages-1)*gap, "the gaps are held, however late each arrives")
	tally := w.proxy.Summary()
	assert.EqualValues(t, pages-1, tally.Waits)
	assert.Greater(t, tally.Wait, tally.Longest)
}

// Private addresses are closed by the dialer, and so is a name that leads there.
func TestPrivateAddresses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	arrived := make(chan struct{}, 10)
	var accepting sync.WaitGroup
	t.Cleanup(accepting.Wait)
	t.Cleanup(func() { l.Close() })
	accepting.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			arrived <- struct{}{}
			conn.Close()
		}
	})
	w := newWorld(t, func(transport *polite.Transport, _ *proxy.Options) {
		base := upstream.Straight().Transport(nil)
		t.Cleanup(base.CloseIdleConnections)
		transport.Base = base
	})
	c := w.client(t)
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254", "0.0.0.0"} {
		for _, scheme := range []string{"http", "https"} {
			u := url.URL{Scheme: scheme, Host: host + ":" + port, Path: "/"}
			got := get(t, c, u.String())
			assert.Equal(t, 403, got.StatusCode, u.String())
			assert.Equal(t, report.KindPrivate, got.Header.Get("Polite-Refused"), "%s: %s", u.String(), got.body)
			assert.Equal(t, "polite: not an address of the public internet\n", got.body, "not even the address of a name")
		}
	}
	assert.Empty(t, arrived, "nothing is connected to")
}

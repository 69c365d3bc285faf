package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A visit is a browser in a web that is all of *.example.
type visit struct {
	web *origintest.Server
	tab context.Context

	mu      sync.Mutex
	refused []error
	console []string
}

// newVisit starts a browser, guarded or not. The test is skipped if there is none.
func newVisit(t *testing.T, guarded bool) *visit {
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("chromium is not installed")
	}
	v := &visit{web: origintest.New(t)}
	tab, stop := newBrowser(t.Context(), chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.Flag("host-resolver-rules", "MAP *.example "+v.web.Address()),
		chromedp.Flag("unsafely-treat-insecure-origin-as-secure", "http://shop.example")) // for service workers
	t.Cleanup(stop)
	v.tab = tab
	if guarded {
		require.NoError(t, guard(tab, &polite.Transport{UserAgent: userAgent, Base: v.web.Transport(t)}, v.refuse))
	}
	require.NoError(t, chromedp.Listen(tab, v.hear))
	return v
}

func (v *visit) open(t *testing.T, url string) {
	_, err := open(v.tab, url)
	require.NoError(t, err)
}

func (v *visit) refuse(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.refused = append(v.refused, err)
}

func (v *visit) hear(event any) {
	if e, ok := event.(*runtime.EventConsoleAPICalled); ok {
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, arg := range e.Args {
			v.console = append(v.console, string(arg.Value))
		}
	}
}

// page tells a site what a page is.
func (v *visit) page(host, path, kind, text string) {
	v.web.Page(host, path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		origintest.Text(text)(w, r)
	})
}

// arrived returns what has arrived at the pages, once all of want have, or a while has passed.
func (v *visit) arrived(t *testing.T, want ...string) (uris []string) {
	assert.Eventually(t, func() bool {
		uris = nil
		for _, a := range v.web.Log().Pages() {
			uris = append(uris, a.Host+a.URI)
		}
		return !slices.ContainsFunc(want, func(uri string) bool { return !slices.Contains(uris, uri) })
	}, 30*time.Second, 50*time.Millisecond, "of %v", want)
	return uris
}

// refusals returns the URLs that were refused, once there are so many, or a while has passed.
func (v *visit) refusals(t *testing.T, n int) (urls []string) {
	assert.Eventually(t, func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		urls = nil
		for _, err := range v.refused {
			if d, ok := polite.DecisionOf(err); ok {
				urls = append(urls, strings.TrimPrefix(d.URL, "http://"))
			}
		}
		return len(urls) >= n
	}, 30*time.Second, 50*time.Millisecond)
	slices.Sort(urls)
	return urls
}

// newShop has pages with parts of all kinds, of which /private are disallowed. The frame is of
// another site.
func newShop(v *visit) {
	v.web.Robots("shop.example", origintest.Text("user-agent: *\ndisallow: /private\n"))
	v.web.Robots("other.example", origintest.Text("user-agent: *\ndisallow: /secret\n"))
	v.page("shop.example", "/", "text/html", `<title>A shop</title>
		<script src="/a.js"></script><script src="/private/a.js"></script>
		<img src="/private/i.png"><link rel="stylesheet" href="/private/s.css"><link rel="prefetch" href="/private/prefetch">
		<iframe src="http://other.example/frame"></iframe><iframe src="/private/frame"></iframe>
		<script>
			fetch("/moved"); fetch("/private/fetched", {method: "POST", body: "a"}); navigator.sendBeacon("/private/beacon", "a");
			new Worker("/worker.js"); new SharedWorker("/shared.js"); navigator.serviceWorker.register("/service.js");
			new EventSource("/private/events"); window.open("/private/popup");
			const link = document.createElement("a"); link.href = "/private/file"; link.download = "file"; document.body.append(link); link.click();
		</script>`)
	v.page("other.example", "/frame", "text/html", `<script src="/secret.js"></script><script src="/frame.js"></script>`)
	for _, worker := range []string{"worker", "shared", "service"} {
		v.page("shop.example", "/"+worker+".js", "text/javascript", fmt.Sprintf(`fetch("/private/%s").catch(() => fetch("/done/%[1]s")).then(() => fetch("/done/%[1]s"))`, worker))
	}
	v.web.Page("shop.example", "/moved", origintest.Redirect("/private/moved"))
}

// disallowed are the parts of the shop that no crawler may ask for.
var disallowed = []string{
	"other.example/secret.js", "shop.example/private/a.js", "shop.example/private/beacon", "shop.example/private/events",
	"shop.example/private/fetched", "shop.example/private/file", "shop.example/private/frame", "shop.example/private/i.png", "shop.example/private/moved",
	"shop.example/private/popup", "shop.example/private/prefetch", "shop.example/private/s.css",
	"shop.example/private/service", "shop.example/private/shared", "shop.example/private/worker",
}

// No part of a page that is disallowed arrives: not in frames of other sites, nor from workers,
// nor after redirects. Each site is asked once.
func TestParts(t *testing.T) {
	v := newVisit(t, true)
	newShop(v)
	v.open(t, "http://shop.example/")
	arrived := v.arrived(t, "shop.example/done/worker", "shop.example/done/shared", "shop.example/done/service", "other.example/frame.js")
	for _, uri := range arrived {
		assert.NotContains(t, uri, "/private")
		assert.NotContains(t, uri, "/secret")
	}
	assert.Equal(t, disallowed, v.refusals(t, len(disallowed)))
	assert.Len(t, v.web.Log().Robots(), 2)
	for _, a := range v.web.Log() {
		assert.Equal(t, userAgent, a.Header.Get("User-Agent"), a.URI)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	assert.Contains(t, strings.Join(v.console, "\n"), `http://shop.example/private/a.js is disallowed for ExampleBot by \"disallow: /private\", line 2`)
}

// Without the gate, all of this does arrive.
func TestWithoutGate(t *testing.T) {
	v := newVisit(t, false)
	newShop(v)
	v.open(t, "http://shop.example/")
	v.arrived(t, disallowed...)
}

// The parts of a page take turns. A gap may be shorter when it arrives, but not the sum of all.
func TestTurns(t *testing.T) {
	const delay, parts = 300 * time.Millisecond, 10
	v := newVisit(t, true)
	v.web.Robots("shop.example", origintest.Text("user-agent: *\ncrawl-delay: 0.3\n"))
	var page strings.Builder
	for i := range parts {
		fmt.Fprintf(&page, `<script async src="/%d.js"></script>`, i)
	}
	v.page("shop.example", "/", "text/html", page.String())
	v.open(t, "http://shop.example/")
	log := v.web.Log().Pages()
	require.GreaterOrEqual(t, len(log), parts+1)
	assert.Greater(t, log[parts].Time.Sub(log[0].Time), parts*delay/2)
}

// After a 429, the browser waits.
func TestBreak(t *testing.T) {
	v := newVisit(t, true)
	v.web.Page("shop.example", "/", origintest.Status(http.StatusTooManyRequests, "Retry-After", "2"))
	open(v.tab, "http://shop.example/")
	v.open(t, "http://shop.example/next")
	log := v.web.Log().Pages()
	at := slices.IndexFunc(log, func(a origintest.Arrival) bool { return a.URI == "/next" })
	require.Positive(t, at)
	assert.GreaterOrEqual(t, log[at].Time.Sub(log[0].Time), 2*time.Second)
}

// A page that is refused, or whose site does not answer, is an error of its navigation.
func TestErrors(t *testing.T) {
	v := newVisit(t, true)
	newShop(v)
	v.web.Page("shop.example", "/reset", origintest.Reset)
	v.web.Robots("down.example", origintest.Status(http.StatusInternalServerError))
	for url, want := range map[string]string{
		"http://shop.example/private/diary": "ERR_BLOCKED_BY_CLIENT",
		"http://down.example/":              "ERR_BLOCKED_BY_CLIENT",
		"http://shop.example/reset":         "ERR_",
	} {
		_, err := open(v.tab, url)
		assert.ErrorContains(t, err, want, url)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	require.Len(t, v.refused, 2)
	assert.True(t, slices.ContainsFunc(v.refused, func(err error) bool { return errors.Is(err, polite.ErrDisallowed) }))
	assert.True(t, slices.ContainsFunc(v.refused, func(err error) bool { return errors.Is(err, polite.ErrNoRules) }))
}

// What the documentation says escapes, does.
func TestEscapes(t *testing.T) {
	v := newVisit(t, true)
	newShop(v)
	v.page("shop.example", "/escapes", "text/html", `<script>
		new WebSocket("ws://shop.example/private/socket");
		fetch("http://other.example/secret", {method: "PUT", headers: {"X-A": "b"}}).catch(() => 0);
		fetch("http://other.example/public", {method: "PUT", headers: {"X-A": "b"}}).catch(() => 0);
	</script>`)
	v.open(t, "http://shop.example/escapes")
	v.arrived(t, "shop.example/private/socket", "other.example/public")
	log := v.web.Log().At("other.example").Pages()
	assert.Equal(t, "OPTIONS http://other.example/public\n", log.String(), "none for what is refused")
}

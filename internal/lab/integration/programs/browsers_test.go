package programs

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shopPage is a page with all that a browser fetches by itself.
const shopPage = `<!doctype html>
<title>a shop</title>
<link rel="stylesheet" href="/style.css">
<script src="/app.js"></script>
<img src="/logo.png"><img src="/private/photo.png">
<iframe src="/frame"></iframe><iframe src="/private/frame"></iframe>
<p id="told">nothing yet</p>
`

// shopScript fetches, too. It shows the statuses that it gets.
const shopScript = `
const status = async (path) => (await fetch(path)).status
addEventListener('load', async () => {
  const all = [await status('/data'), await status('/private/data')]
  document.querySelector('#told').textContent = 'told ' + all.join(' ')
})
`

// newShop returns a web with a shop that asks for a small gap.
func newShop(t *testing.T) *web {
	w := newWeb(t)
	w.Robots("shop.test", origintest.Text("user-agent: *\ndisallow: /private\ncrawl-delay: 0.1\n"))
	w.Page("shop.test", "/", origintest.Text(shopPage))
	w.Page("shop.test", "/app.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, shopScript)
	})
	return w
}

// browsing are programs that open a page in Chromium, and print it when it has told.
func browsing() []program {
	return []program{
		{name: "Chromium", tries: "chromium --version", line: []string{"chromium", "--headless", "--no-sandbox", "--ignore-certificate-errors", "--virtual-time-budget=20000", "--timeout=20000", "--dump-dom"}},
		{name: "Puppeteer", tries: "node -e require('puppeteer-core')", line: []string{"node", "puppeteer.cjs"}},
		{name: "Playwright", tries: "node -e require('playwright-core')", line: []string{"node", "playwright.cjs"}},
	}
}

// A browser fetches what the site allows, and no more: documents, frames, scripts, images and
// what scripts fetch.
func TestBrowsers(t *testing.T) {
	for _, p := range browsing() {
		t.Run(p.name, func(t *testing.T) {
			p.needs(t)
			program{name: "Chromium", tries: "chromium --version"}.needs(t)
			w := newShop(t)
			got := politely(t, w, nil, append(p.command(t), "https://shop.test/")...)
			assert.Contains(t, got.out, "told 200 403", got.err)
			assertBrowsed(t, w.Log(), "/", "/app.js", "/data", "/frame", "/logo.png", "/style.css")
		})
	}
}

// With --browser documents, images and styles are left alone. All else is judged.
func TestBrowserDocuments(t *testing.T) {
	p := browsing()[0]
	p.needs(t)
	w := newShop(t)
	got := politely(t, w, []string{"--browser", "documents"}, append(p.command(t), "https://shop.test/")...)
	assert.Contains(t, got.out, "told 200 403", got.err)
	assertBrowsed(t, w.Log(), "/", "/app.js", "/data", "/frame", "/logo.png", "/private/photo.png", "/style.css")
}

// assertBrowsed checks what arrived at the shop, once each, beside an icon that some browsers ask for. All
// of it is from who is judged.
func assertBrowsed(t *testing.T, log origintest.Log, uris ...string) {
	log = log.At("shop.test") // what a browser asks its maker for is judged, too
	require.Len(t, log.Robots(), 1, "%v", log)
	var got []string
	for _, a := range log.Pages() {
		assert.Equal(t, []string{userAgent}, a.Header["User-Agent"], a.URI)
		if a.URI != "/favicon.ico" {
			got = append(got, a.URI)
		}
	}
	slices.Sort(got)
	assert.Equal(t, uris, got)
}

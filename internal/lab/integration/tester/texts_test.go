package tester

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const mine = "User-agent: *\nDisallow: /mine\n"

// site serves a robots.txt that disallows path.
func site(t *testing.T, path string) (url string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "User-agent: *\nDisallow: "+path+"\n")
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// loadFrom loads the robots.txt of a site.
func (p *page) loadFrom(url string) {
	p.t.Helper()
	p.write("#site", url)
	p.answered(func() { p.click("#load button") })
}

// changesText replaces the text of the editor as a user does, and waits for the answer.
func (p *page) changesText(text string) {
	p.t.Helper()
	p.answered(func() { p.write("#text", text) })
}

// leave does something that leads away from the page. It returns whether the browser asked,
// and lets it go on.
func (p *page) leave(do chromedp.Action[chromedp.Void]) bool {
	p.t.Helper()
	var asked atomic.Bool
	require.NoError(p.t, chromedp.Listen(p.ctx, func(event any) {
		if _, ok := event.(*cdppage.EventJavascriptDialogOpening); !ok {
			return
		}
		asked.Store(true)
		go chromedp.Do(p.ctx, call(cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: true}))
	}))
	p.do(do)
	p.until(`document.querySelector('#totals').textContent != ''`)
	return asked.Load()
}

func reload(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	return chromedp.Reload()(ctx, t)
}

// Two sites are loaded one after the other. What the user typed comes back all the same.
func TestTextComesBackAfterTwoLoads(t *testing.T) {
	a, b := site(t, "/a"), site(t, "/b")
	p := open(t, wide, start(t).Link)
	p.changesText(mine)
	p.loadFrom(a)
	p.loadFrom(b)
	p.click("#copy-link")
	p.until(`document.querySelector('#notice input')`)
	assert.Equal(t, "Earlier texts: 2", p.text("#earlier .fold"))

	p.click("#earlier .fold")
	rows := value[[]string](p, `[...document.querySelectorAll('#earlier li')].map(li => li.innerText)`)
	require.NotEmpty(t, rows)
	assert.Contains(t, rows[0], a+"/robots.txt")
	assert.Contains(t, rows[1], "edited")
	p.answered(func() { p.click("#earlier li:nth-child(2) button") })
	assert.Equal(t, mine, value[string](p, text))

	p.loadFrom(a)
	p.loadFrom(b)
	p.answered(func() { p.click("#notice button") })
	assert.Equal(t, mine, value[string](p, text), "it is the user's text that comes back")
}

func TestReloadKeepsTheText(t *testing.T) {
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t).Link)
		p.load(asItIs)
		p.answered(func() { p.write("#urls", "/caf%E9\n/private") })
		p.answered(func() { p.write("#agent", "GPTBot") })
		was := p.verdicts()
		assert.False(t, p.leave(reload), "nothing was typed into the text")
		assert.Equal(t, was, p.verdicts())
		assert.Equal(t, "robots.txt", p.text("#file-title"))
		p.changesText(mine)
		assert.True(t, p.leave(reload), "the browser asks before it leaves")
		assert.Equal(t, mine, value[string](p, text))
		assert.Equal(t, "GPTBot", value[string](p, `document.querySelector('#agent').value`))
		folder := p.downloads()
		p.click("#save")
		assert.Equal(t, strings.ReplaceAll(mine, "\n", "\r\n"), p.saved(folder+"/robots.txt"), "with the line ends of the file")
		assert.False(t, p.leave(reload), "the text is saved")
	}
}

// A link that is pasted into the tab replaces text, crawler and URLs. All come back.
func TestPastedLinkTakesNothing(t *testing.T) {
	link := start(t).Link
	p := open(t, wide, link)
	p.changesText(mine)
	p.answered(func() { p.write("#urls", "/mine/1") })
	to := linked(t, map[string]any{"text": "User-agent: *\nDisallow: /linked\n", "urls": "/linked", "agent": "Bot"})
	p.answered(func() { p.value(`(location.hash = '` + to + `', 0)`) })
	assert.Equal(t, []string{"✕ disallowed /linked line 2"}, p.verdicts())
	p.answered(func() { p.click("#notice button") })
	assert.Equal(t, mine, value[string](p, text))
	assert.Equal(t, []string{"✕ disallowed /mine/1 line 2"}, p.verdicts())
}

// Another page of the tester, which has another path, does not see the draft.
func TestDraftIsOfOnePage(t *testing.T) {
	p := open(t, wide, start(t, "--listen", "127.0.0.1:0").Link)
	p.changesText(mine)
	p.leave(reload)
	keys := value[[]string](p, `Object.keys(sessionStorage)`)
	require.Len(t, keys, 1)
	assert.True(t, strings.HasPrefix(keys[0], "draft /"), keys[0])
	assert.Empty(t, value[[]string](p, `Object.keys(localStorage)`))
}

// A draft that is damaged, or that somebody else wrote, leaves a page that works.
func TestHostileDraft(t *testing.T) {
	p := open(t, wide, start(t).Link)
	for name, draft := range map[string]string{
		"no JSON": `{`, "null": `null`, "a list": `[]`, "numbers": `{"text":1,"urls":2,"agent":3,"name":4,"earlier":5}`,
		"texts that are none":   `{"text":"User-agent: *","earlier":[{"text":{}},{"text":null,"at":"x","urls":{},"name":[]}]}`,
		"markup":                `{"text":"User-agent: *","name":"<img src=x onerror=alert(1)>","earlier":[{"text":"<script>","name":"<script>alert(1)</script>"}]}`,
		"a line end of its own": `{"text":"User-agent: *\nDisallow: /x","end":"\nDisallow: /\n"}`,
		"many crawlers":         `{"text":"User-agent: *","several":{"kind":"own","names":"` + strings.Repeat("a ", 50_000) + `"}}`,
		"many texts":            `{"text":"User-agent: *","earlier":[` + strings.Repeat(`{"text":"x"},`, 1000) + `{"text":"y"}]}`,
	} {
		set, err := json.Marshal(draft)
		require.NoError(t, err)
		p.value(`(addEventListener('pagehide', () => sessionStorage.setItem('draft ' + location.pathname, ` + string(set) + `)), 0)`)
		p.do(chromedp.Reload())
		p.until(`performance.getEntriesByName('keystroke to verdicts').length > 0 && document.querySelector('#totals').textContent`)
		assert.Empty(t, p.text("#judge-error"), name)
		assert.LessOrEqual(t, value[int](p, `document.querySelectorAll('#earlier li').length`), 20, name)
		assert.Zero(t, value[int](p, `document.querySelectorAll('main img, #earlier script').length`), name)
	}
}

func TestSkipLinkIsNoState(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.value(`(document.querySelector('#skip').focus(), 0)`)
	p.press("\r")
	assert.Equal(t, "text", value[string](p, focused))
	assert.Empty(t, p.text("#notice"))
}

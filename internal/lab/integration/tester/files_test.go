package tester

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asItIs has everything that a text field does not keep by itself.
const asItIs = "\ufeffUser-agent: *\r\nDisallow: /caf\xe9\nAllow: /\xff\x00\xed\xa0\x80\rDisallow: /ä€😀\r\nDisallow: /private\r\n"

// downloads lets the page save files into a folder of the test.
func (p *page) downloads() (folder string) {
	folder = p.t.(*testing.T).TempDir()
	down := cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder,
		BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID}
	_, err := chromedp.CallBrowser(p.ctx, cdpbrowser.SetDownloadBehavior, down)
	require.NoError(p.t, err)
	return folder
}

// saved returns a file once it is there.
func (p *page) saved(path string) (text string) {
	require.Eventually(p.t, func() bool {
		body, err := os.ReadFile(path)
		text = string(body)
		return err == nil && text != "" // the browser makes an empty file first
	}, 20*time.Second, 20*time.Millisecond, path)
	return text
}

func TestFileIsKeptAsItIs(t *testing.T) {
	p := open(t, wide, start(t).Link)
	folder := p.downloads()
	p.load(asItIs)
	assert.Equal(t, []string{"✓ allowed /", "✕ disallowed /private/diary line 5", "✕ disallowed /private/open.html line 5"}, p.verdicts())
	p.click("#save")
	assert.Equal(t, asItIs, p.saved(filepath.Join(folder, "robots.txt")))
	require.NoError(t, os.Remove(filepath.Join(folder, "robots.txt")))

	p.answered(func() {
		p.value(`(document.querySelector('#text').focus(), document.querySelector('#text').setSelectionRange(1, 1), 0)`)
		p.press("#\n")
	})
	p.click("#save")
	assert.Equal(t, strings.Replace(asItIs, "User", "#\r\nUser", 1), p.saved(filepath.Join(folder, "robots.txt")), "what is typed has the file's line end")
	p.answered(func() { p.click("#notice button") })
	assert.Contains(t, value[string](p, text), "tells crawlers", "the text of before is back")
}

func TestFileIsDropped(t *testing.T) {
	p := open(t, wide, start(t).Link)
	octets := base64.StdEncoding.EncodeToString([]byte("User-agent: *\nDisallow: /caf\xe9\nDisallow: /\n"))
	p.answered(func() {
		p.value(`(() => { const d = new DataTransfer(); d.items.add(new File([Uint8Array.from(atob('` + octets + `'), c => c.charCodeAt(0))], 'a.txt'));
			for (const type of ['dragover', 'drop']) document.querySelector('#text').dispatchEvent(new DragEvent(type, {dataTransfer: d, bubbles: true, cancelable: true})); return 0 })()`)
	})
	assert.Equal(t, "0 allowed · 3 disallowed", p.text("#totals"))
	assert.Equal(t, "a.txt", p.text("#file-title"))
}

func TestLoadFromASite(t *testing.T) {
	var asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\nDisallow: /open\n")
	}))
	defer other.Close()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, other.URL+"/robots.txt", http.StatusFound)
	}))
	defer site.Close()
	p := open(t, wide, start(t).Link)
	p.write("#urls", site.URL+"/open\n"+other.URL+"/x")
	p.write("#site", site.URL+"/a/page")
	p.until(`document.querySelector('#totals').textContent == '2 allowed · 0 disallowed'`)
	assert.Zero(t, asked.Load(), "a site is asked by a click alone")

	p.answered(func() { p.click("#load button") })
	assert.EqualValues(t, 1, asked.Load())
	assert.Equal(t, "User-agent: *\nDisallow: /private/\nDisallow: /open\n", value[string](p, text))
	assert.Contains(t, p.text("#loaded"), other.URL+"/robots.txt")
	assert.Contains(t, p.text("#loaded"), "200 OK")
	assert.Equal(t, "1 allowed · 1 disallowed", p.text("#totals"))
	assert.Equal(t, site.URL+"/robots.txt", p.text("#file-title"))
	p.answered(func() { p.click("#notice button") })
	assert.Equal(t, "robots.txt", p.text("#file-title"), "the text of before is back, and its name")
	assert.Empty(t, p.text("#loaded"), "the file of the site is in the editor no more")
}

func TestLoadFromASiteWithoutRules(t *testing.T) {
	for status, says := range map[int]string{404: "everything is allowed", 503: "nothing may be fetched"} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) }))
		p := open(t, phone, start(t).Link)
		before := value[string](p, text)
		p.write("#site", site.URL)
		p.press("\r")
		p.until(fmt.Sprintf(`document.querySelector('#loaded').innerText.includes(%q)`, says))
		assert.Contains(t, p.text("#loaded"), fmt.Sprint(status))
		assert.Equal(t, status == 503, value[bool](p, `!!document.querySelector('#loaded .wrong')`), "a failure looks like one")
		assert.Equal(t, before, value[string](p, text))
		site.Close()
	}
}

func TestExportIsWhatTheCommandWrites(t *testing.T) {
	p := open(t, wide, start(t, "-A", "GPTBot").Link)
	folder := p.downloads()
	p.load(asItIs)
	urls := []string{"/", "/caf%E9", "https://example.com/private/x"}
	p.answered(func() { p.write("#urls", strings.Join(urls, "\n")) })
	file := filepath.Join(t.TempDir(), "robots.txt")
	require.NoError(t, os.WriteFile(file, []byte(asItIs), 0o600))
	for format, name := range map[string]string{"text": "verdicts.txt", "csv": "verdicts.csv", "json": "verdicts.jsonl"} {
		p.click(`[data-export=` + format + `]`)
		args := []string{"check", "--no-cache", "-A", "GPTBot", "-f", file}
		if format != "text" {
			args = append(args, "--"+format)
		}
		want := strings.ReplaceAll(run(t, append(args, urls...)...), file, "robots.txt")
		assert.Equal(t, want, p.saved(filepath.Join(folder, name)), format)
	}
}

func TestCompare(t *testing.T) {
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t, "-A", "ExampleBot").Link)
		p.click("#compare")
		p.until(`document.querySelector('#changes-total').innerText.includes('The two are the same')`)
		p.write("#text", "User-agent: *\nDisallow: /private/\nDisallow: /new/\nCrawl-delay: 5\n")
		p.until(`document.querySelector('#changes-others').innerText.includes('/new/')`)
		assert.Contains(t, p.text("#changes"), "/private/open.htmlx ✓ allowed line 4 → ✕ disallowed line 2")
		assert.Contains(t, p.text("#changes-others"), "delay")
		assert.Contains(t, p.text("#changes-panel"), "Each URL is an example", "the URLs are polite's")

		p.value(`(document.querySelector('#compare-urls').focus(), 0)`)
		p.press("my")
		p.until(`document.querySelectorAll('#changes > li').length == 1`)
		assert.NotContains(t, p.text("#changes-panel"), "Each URL is an example", "the URLs are the user's")
		side := value[[]float64](p, `[...document.querySelectorAll('.editor')].map(e => e.getBoundingClientRect().top)`)
		assert.Equal(t, v == wide, side[0] == side[1], "side by side on a wide screen alone")
		p.click("#compare")
		p.until(`document.querySelector('#changes-panel').hidden && document.querySelector('#before-side').hidden`)
	}
}

func TestLinkReproducesTheState(t *testing.T) {
	program := start(t)
	p := open(t, wide, program.Link)
	p.load(asItIs)
	p.write("#urls", "/caf%E9\n/private")
	p.answered(func() { p.write("#agent", "Bot-One, Bot-Two") })
	p.click("#compare")
	p.click("#copy-link")
	p.until(`document.querySelector('#notice input')?.value.includes('#')`)
	p.click("#site")
	p.command("v", "paste")
	link := value[string](p, `document.querySelector('#site').value`)
	assert.Equal(t, value[string](p, `document.querySelector('#notice input').value`), link)

	elsewhere := start(t, strings.Replace(link, "127.0.0.1", "example.com", 1)).Link
	for _, link := range []string{link, elsewhere} {
		again := open(t, wide, link)
		folder := again.downloads()
		again.until(`document.querySelector('#agent').value == 'Bot-One, Bot-Two'`)
		again.until(`!document.querySelector('#before-side').hidden`)
		assert.Equal(t, "/caf%E9\n/private", value[string](again, `document.querySelector('#urls').value`))
		assert.Equal(t, p.verdicts(), again.verdicts())
		again.click("#save")
		assert.Equal(t, asItIs, again.saved(filepath.Join(folder, "robots.txt")))
	}
}

func TestStateTooLargeForALink(t *testing.T) {
	p := open(t, wide, start(t).Link)
	var noise strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&noise, "# %x\n", i*7919*7919)
	}
	p.load(noise.String())
	p.click("#copy-link")
	p.until(`document.querySelector('#notice').innerText.includes('too much for a link')`)
}

// linked returns the fragment of a link to a state.
func linked(t *testing.T, state map[string]any) string {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	require.NoError(t, err)
	require.NoError(t, json.NewEncoder(w).Encode(state))
	require.NoError(t, w.Close())
	return "#" + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// A link that somebody else made hides nothing: the file is what the page shows.
func TestLinkHidesNothing(t *testing.T) {
	link := start(t).Link
	hidden := "\nDisallow: /\n"
	state := map[string]any{"text": "User-agent: *\nDisallow: /x\n", "urls": "/", "end": hidden}
	state["before"] = map[string]any{"text": state["text"], "end": hidden}
	p := open(t, wide, link+linked(t, state))
	p.until(`!document.querySelector('#before-side').hidden`)
	assert.Equal(t, []string{"✓ allowed /"}, p.verdicts())
	folder := p.downloads()
	p.click("#save")
	assert.Equal(t, "User-agent: *\nDisallow: /x\n", p.saved(filepath.Join(folder, "robots.txt")))
	p.until(`document.querySelector('#changes-total').textContent != ''`)
	assert.Empty(t, p.text("#changes"))
}

// A link that is damaged says so, and so does one that leads to more than a page can hold. It is not
// inflated to find out.
func TestDamagedLink(t *testing.T) {
	link := start(t).Link
	noise := make([]byte, 40_000)
	rand.NewChaCha8([32]byte{}).Read(noise)
	for name, state := range map[string]string{
		"a letter": "#x", "no letters": "#%%%", "no state": "#" + strings.Repeat("A", 100),
		"it inflates to much": linked(t, map[string]any{"text": strings.Repeat("#", 40<<20)}),
		"a long text":         linked(t, map[string]any{"text": strings.Repeat("#", 3<<20)}),
		"long URLs":           linked(t, map[string]any{"urls": strings.Repeat("#", 5<<20)}),
		"a long link":         linked(t, map[string]any{"text": base64.StdEncoding.EncodeToString(noise)}),
	} {
		p := tab(t, wide)
		p.visit(link + state)
		p.until(`document.querySelector('#notice').innerText.includes('damaged')`)
		assert.Empty(t, p.problems, name)
	}
}

func TestServerThatIsGone(t *testing.T) {
	program := start(t)
	p := open(t, wide, program.Link)
	p.quiet = true // Chromium says on the console that nobody answers
	program.End()
	p.write("#text", "User-agent: *\nDisallow: /mine\n")
	p.until(`!document.querySelector('#gone').hidden`)
	assert.Contains(t, p.text("#gone"), "polite tester has ended")
	assert.Equal(t, "User-agent: *\nDisallow: /mine\n", value[string](p, text))
	folder := p.downloads()
	p.click("#save")
	assert.Equal(t, "User-agent: *\nDisallow: /mine\n", p.saved(filepath.Join(folder, "robots.txt")))
}

// A site that takes its time can be left alone, and the text stays as it was.
func TestLoadIsCancelled(t *testing.T) {
	arrived := make(chan bool, 1)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- true
		<-r.Context().Done()
	}))
	defer slow.CloseClientConnections()
	p := open(t, wide, start(t).Link)
	before := value[string](p, text)
	p.write("#site", slow.URL)
	p.click("#load button")
	<-arrived
	assert.Contains(t, p.text("#loaded"), "Cancel")
	p.answered(func() { p.write("#urls", "/private/1") })
	assert.Equal(t, []string{"✕ disallowed /private/1 line 3"}, p.verdicts(), "verdicts do not wait")
	p.click("#loaded button")
	p.until(`document.querySelector('#loaded').hidden && !document.querySelector('#load button').disabled`)
	assert.Equal(t, before, value[string](p, text))
}

// Save writes to the file that was opened, where the browser lets it, and else saves one of the
// same name.
func TestSaveWritesWhatWasOpened(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.value(`(async () => { const folder = await navigator.storage.getDirectory(), handle = await folder.getFileHandle('mine.txt', {create: true});
		const w = await handle.createWritable(); await w.write('User-agent: *\nDisallow: /was\n'); await w.close();
		window.showOpenFilePicker = async () => [handle]; window.written = async () => (await handle.getFile()).text() })()`)
	p.answered(func() { p.click("#open") })
	assert.Equal(t, "mine.txt", p.text("#file-title"))
	p.changesText("User-agent: *\nDisallow: /is\n")
	p.click("#save")
	p.until(`document.querySelector('#saved').innerText.startsWith('mine.txt is written.')`)
	assert.Equal(t, "User-agent: *\nDisallow: /is\n", value[string](p, `written()`))
	assert.Contains(t, p.text("#saved"), "Crawlers look for no other name than robots.txt")

	folder := p.downloads()
	p.value(`(window.showOpenFilePicker = undefined, 0)`)
	path := filepath.Join(t.TempDir(), "other.txt")
	require.NoError(t, os.WriteFile(path, []byte("User-agent: *\n"), 0o600))
	p.answered(func() { p.do(chromedp.SetUploadFiles(chromedp.CSS("#open-file"), []string{path}, chromedp.NodeReady)) })
	p.click("#save")
	assert.Equal(t, "User-agent: *\n", p.saved(filepath.Join(folder, "other.txt")))
	assert.Equal(t, "User-agent: *\nDisallow: /is\n", value[string](p, `written()`), "the file of the text before")
}

package tester

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// TestFirstRobotsTxt keeps a crawler out of a folder but for one page, as somebody does who
// has never written a robots.txt, and by the keyboard alone.
func TestFirstRobotsTxt(t *testing.T) {
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t).Link)
		folder := p.downloads()
		assert.Contains(t, p.text("#story"), "decides: the longest", "the example shows at once what it is about")

		p.press(kb.F6 + kb.F6)
		p.answered(func() { p.press("GPTBot") })
		p.press(kb.Escape)
		p.until(`document.querySelector('#known .name')?.textContent == 'GPTBot'`)
		assert.Contains(t, p.text("#legend"), "names every crawler without a group of its own")
		p.press(kb.F6, kb.ModifierShift)
		p.press("\t")
		assert.Equal(t, "Begin a group for GPTBot", value[string](p, focused))
		p.answered(func() { p.press(kb.Enter) })
		p.answered(func() { p.press("drafts/\nAllow: /drafts/about.html") })
		p.until(`document.querySelector('#legend').innerText.includes('its 2 rules, and no others count for it')`)
		assert.NotContains(t, p.text("#legend"), "Begin a group")
		written := value[string](p, text)
		assert.True(t, strings.HasSuffix(written, "sitemap.xml\n\nUser-agent: GPTBot\nDisallow: /drafts/\nAllow: /drafts/about.html"), written)

		p.press(kb.F6 + kb.F6)
		p.command("a", "selectAll")
		p.answered(func() { p.press("/drafts/next\n/drafts/about.html") })
		p.until(`document.querySelector('#verdicts').innerText.includes('/drafts/about.html')`)
		assert.Equal(t, []string{"✕ disallowed /drafts/next line 9", "✓ allowed /drafts/about.html line 10"}, p.verdicts())

		p.value(`(document.querySelector('#save').focus(), 0)`)
		p.press(kb.Enter)
		assert.Equal(t, written, p.saved(filepath.Join(folder, "robots.txt")))
		assert.Contains(t, p.text("#saved"), "at the top of your site")
		p.answered(func() { p.value(`(document.querySelector('#text').focus(), 0)`); p.press("#") })
		assert.Empty(t, p.text("#saved"), "what was saved is no longer what is shown")
	}
}

// Why a URL has its verdict is in sight on a usual screen, and has no columns of spaces.
func TestWhyIsInSight(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.answered(func() { p.write("#text", scene) })
	p.answered(func() { p.write("#agent", "GPTBot") })
	p.answered(func() { p.write("#urls", sceneURLs) })
	p.answered(func() { p.click("#verdicts [role=option]:nth-child(3)") })
	p.value(`(scrollTo(0, 0), 0)`)
	assert.LessOrEqual(t, value[float64](p, `document.querySelector('#story .decides').getBoundingClientRect().bottom`), 900.0)
	assert.Contains(t, p.text("#story"), "12 Allow: /articles/about.html length 20 decides: the longest")
	assert.NotContains(t, value[string](p, `document.querySelector('#story').innerText`), "  ")
}

// TestFileWithoutRules holds the page to what it says of a file that says nothing.
func TestFileWithoutRules(t *testing.T) {
	p := open(t, wide, start(t, "-A", "GPTBot").Link)
	for file, says := range map[string]string{
		"":                        "The file is empty: everything is allowed. Begin a group for GPTBot",
		"User-agent: A\nAllow: /": "No group of the file is for this crawler: everything is allowed. Begin a group for GPTBot",
		"GPTBot stay out":         "The file has no user-agent line that names a crawler, and so has no rules.",
		"<!doctype html><html>":   "The file is a web page, and so has no rules: see the findings.",
	} {
		p.answered(func() { p.write("#text", file) })
		assert.Equal(t, says, p.text("#legend"))
	}
	assert.Empty(t, p.text("#judge-error"), "such a file is no error of the verdicts")
}

func TestInvalidURLIsExplained(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.answered(func() { p.write("#urls", "drafts/x") })
	assert.Equal(t, []string{"! invalid drafts/x is neither a URL nor a path: write it as in https://example.com/page or /page"}, p.verdicts())
	assert.Contains(t, p.text("#story"), "! invalid drafts/x")

	p.answered(func() { p.write("#urls", "javascript:alert(1)/long") })
	assert.True(t, value[bool](p, `(url => url.scrollWidth <= url.clientWidth)(document.querySelector('#verdicts .url'))`), "the URL is shown whole")
}

// The page begins with the crawler that most webmasters ask about, and the count of what is wrong
// is in sight at once.
func TestFirstSight(t *testing.T) {
	for _, v := range []view{wide, {390, "light"}} {
		p := open(t, v, start(t).Link)
		assert.Equal(t, "Googlebot", value[string](p, `document.querySelector('#agent').value`))
		p.load("foo\nUser-agent: *\nDisalow: /x\n")
		p.value(`(scrollTo(0, 0), 0)`)
		assert.Equal(t, p.text("#findings-total"), p.text("#findings-count"))
		assert.Contains(t, p.text("#findings-count"), "warning")
		assert.Less(t, value[float64](p, `document.querySelector('#findings-count').getBoundingClientRect().bottom`), 844.0, v)
		p.click("#findings-count")
		assert.Equal(t, "findings-title", value[string](p, focused))
	}
}

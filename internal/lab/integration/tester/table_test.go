package tester

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// tableRows returns the table of several crawlers, a row a line.
func (p *page) tableRows() string {
	return value[string](p, `[...document.querySelectorAll('#table-side tr')].map(r => [...r.children].map(c => c.innerText.replaceAll(/\s+/g, ' ').trim()).join(' | ')).join('\n')`)
}

func TestSeveralCrawlers(t *testing.T) {
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t).Link)
		p.load("User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n")
		p.value(`(document.querySelector('#several').focus(), 0)`)
		p.press("these")
		p.until(`!document.querySelector('#several-own').hidden`)
		p.write("#several-names", "GPTBot, CCBot Googlebot bingbot")
		p.until(`document.querySelectorAll('#table-head th').length == 3`)
		assert.Equal(t, "URL | GPTBot, CCBot 0 ✓ 3 ✕ by GPTBot | Googlebot, bingbot 1 ✓ 2 ✕ by *\n"+
			"/ | ✕ disallowed line 6 | ✓ allowed\n/private/diary | ✕ disallowed line 6 | ✕ disallowed line 2\n/private/open.html | ✕ disallowed line 6 | ✕ disallowed line 2", p.tableRows())
		assert.LessOrEqual(t, value[int](p, `document.documentElement.scrollWidth`), int(v.width), "the page is not wider than the screen")

		p.answered(func() { p.click("#table-head button") })
		assert.Equal(t, "GPTBot", value[string](p, `document.querySelector('#agent').value`))
		p.click("#copy-link")
		p.until(`document.querySelector('#notice input')`)
		again := open(t, v, value[string](p, `document.querySelector('#notice input').value`))
		again.until(`document.querySelectorAll('#table-head th').length == 3`)
		assert.Equal(t, p.tableRows(), again.tableRows(), "a link has the crawlers")
	}
}

// The head of a table of many crawlers is no taller than what it says, and squeezes no URL.
func TestHeadOfTheTable(t *testing.T) {
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t).Link)
		p.load("User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow: /\n")
		p.value(`(document.querySelector('#several').value = 'known', document.querySelector('#several').dispatchEvent(new Event('change')), 0)`)
		p.until(`document.querySelectorAll('#table-head th').length > 2`)
		assert.Less(t, value[float64](p, `document.querySelector('#table-head').getBoundingClientRect().height`), 120.0, v)
		assert.Less(t, value[float64](p, `Math.max(...[...document.querySelectorAll('#table-body tr')].map((row) => row.getBoundingClientRect().height))`), 40.0, v)
	}
}

// One click keeps AI training out and lets search in. The page shows what it does, and one
// key takes it back.
func TestKeepTrainingOut(t *testing.T) {
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t).Link)
		file := "User-agent: *\nDisallow: /private/\n"
		p.load(file)
		p.answered(func() { p.click("#parted") })
		written := value[string](p, text)
		assert.True(t, strings.HasPrefix(written, file+"\n# Kept out: ai-training\nUser-agent: "), written)
		assert.Contains(t, written, "User-agent: GPTBot\n")
		assert.NotContains(t, written, "Googlebot", "search is let in already")
		p.until(`document.querySelector('#changes').innerText.includes('GPTBot') || document.querySelector('#changes').innerText.includes('Google-Extended')`)
		p.until(`document.querySelectorAll('#table-head th').length > 2`)
		assert.Contains(t, p.tableRows(), "by Google-Extended")
		p.value(`(document.querySelector('#text').focus(), 0)`)
		p.answered(func() { p.command("z", "undo") })
		assert.Equal(t, file, value[string](p, text))
	}
}

func TestCrawlersAreFoundByPurpose(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.answered(func() { p.write("#agent", "ai-training") })
	found := p.text("#crawlers")
	assert.Contains(t, found, "GPTBot")
	assert.Contains(t, found, "no longer used")
	assert.NotContains(t, found, "Googlebot ")
	p.press(kb.Escape)
}

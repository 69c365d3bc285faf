package tester

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// print makes the tab show what is printed.
func (p *page) print() {
	p.do(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}))
	p.value(`(dispatchEvent(new Event('beforeprint')), 0)`)
}

// The printed page is a report of all that the page says, with nothing to click.
func TestReport(t *testing.T) {
	p := open(t, wide, start(t, "-A", "GPTBot").Link)
	p.answered(func() { p.write("#text", scene) })
	p.answered(func() { p.write("#urls", sceneURLs+"\n/<b>\u202e\nno URL") })
	p.answered(func() { p.click("#verdicts [role=option]:nth-child(2)") })
	paper, err := chromedp.Call(p.ctx, cdppage.PrintToPDF, cdppage.PrintToPDFParams{})
	require.NoError(t, err)
	assert.Equal(t, "%PDF", string(paper.Data[:4]))
	assert.Empty(t, value[string](p, `document.querySelector('#report').textContent`), "nothing is left of it on the page")

	p.print()
	report := p.text("#report")
	for _, want := range []string{
		"crawler GPTBot", "5 allowed · 2 disallowed · 1 invalid", "✕ disallowed https://example.com/articles/2026/spring line 11", "/<b>U+202E", "no URL",
		"decides: no other matches", "Disalow: /articles/ warning: \"Disalow\" is read as Disallow by some crawlers only", "Sitemap: https://example.com/sitemap.xml",
	} {
		assert.Contains(t, report, want)
	}
	assert.False(t, value[bool](p, `document.querySelector('main').checkVisibility()`))
	p.value(`(dispatchEvent(new Event('afterprint')), 0)`)
	assert.Empty(t, value[string](p, `document.querySelector('#report').textContent`))
}

// A report of much is bounded, and says what it leaves out.
func TestReportIsBounded(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.load(manyRules(5000))
	p.answered(func() { p.write("#urls", manyURLs(5000)) })
	p.print()
	report := p.text("#report")
	assert.Contains(t, report, "and 3,000 more URLs")
	assert.Contains(t, report, "and 3,003 more lines")
	assert.Less(t, value[int](p, `document.querySelectorAll('#report *').length`), 30_000)
}

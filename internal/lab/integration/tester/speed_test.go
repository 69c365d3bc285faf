package tester

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

// sizes are how much a user may have on the page.
var sizes = []struct {
	name        string
	rules, urls int
	keys        int // that are pressed
}{
	{"a median file, 100 URLs", 13, 100, 60},
	{"500 KiB, 10,000 URLs", 18_600, 10_000, 40},
}

// TestKeystrokeToVerdicts tells how long a user waits after a key, until the verdicts are in
// the document: those for the chosen crawler, and a table for eight with rules of their own. No
// time fails it: what the page does for a key is counted.
func TestKeystrokeToVerdicts(t *testing.T) {
	for _, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			if size.urls > 1000 {
				long.Only(t)
			}
			p := open(t, wide, start(t).Link)
			p.load(manyRules(size.rules) + eightGroups)
			p.value(`(document.querySelector('#several').value = 'own', document.querySelector('#several').dispatchEvent(new Event('change')), 0)`)
			p.write("#several-names", "GPTBot CCBot Googlebot bingbot a b c d")
			p.answered(func() { p.write("#urls", manyURLs(size.urls)) })
			p.until(`document.querySelectorAll('#table-head th').length == 9`)
			p.value(`(window.waits = [], addEventListener('keydown', e => { window.pressed = e.timeStamp }, true),
				new PerformanceObserver(l => l.getEntries().forEach(e => waits.push(e.startTime + e.duration - pressed))).observe({entryTypes: ['measure']}),
				document.querySelector('#text').focus(), 0)`)
			asked := p.asked("POST")
			for i := range size.keys {
				p.press(string(rune('a' + i%26)))
				p.until(fmt.Sprintf(`waits.length > %d`, i))
			}
			waits := value[[]float64](p, `waits`)
			slices.Sort(waits)
			t.Logf("%s: %.0f ms at half of the keys, %.0f ms at 95%%", size.name, waits[len(waits)/2], waits[len(waits)*95/100])
			assert.Equal(t, size.keys, p.asked("POST")-asked, "one request for a key")
			assert.Less(t, value[int](p, `document.querySelectorAll(':not(#table-side *)').length`), 900, "elements on the page besides the table")
			assert.Len(t, value[[]string](p, `[...document.querySelectorAll('#table-body tr')].map(r => r.innerText)`), min(size.urls, 50), "rows of the table")
		})
	}
}

const eightGroups = "User-agent: GPTBot\nDisallow: /a\n\nUser-agent: CCBot\nDisallow: /b\n\nUser-agent: Googlebot\nDisallow: /c\n\nUser-agent: bingbot\nDisallow: /d\n\n" +
	"User-agent: a\nDisallow: /e\n\nUser-agent: b\nDisallow: /folder/*1\n\nUser-agent: c\nDisallow: /\n"

func manyRules(n int) string {
	var b strings.Builder
	b.WriteString("#\nUser-agent: *\n")
	for i := range n {
		fmt.Fprintf(&b, "Disallow: /folder/%05d/\n", i)
	}
	return b.String()
}

func manyURLs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "https://example.com/folder/%05d/\n", i*2)
	}
	return b.String()
}

// With a <details> in the page, Chromium takes some time for each line that a text replaces, times all
// others.
func TestNoDetails(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.changesText("User-agent: GPTBot, ClaudeBot\nDisallow: /a\nDisalow: /b\n")
	assert.Zero(t, value[int](p, `document.querySelectorAll('details').length`))
	assert.Positive(t, value[int](p, `document.querySelectorAll('[aria-expanded]').length`), "what opens and closes")
}

package tester

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// axe returns the script of axe-core, which stands in the folder that the environment variable
// POLITE_NODE_MODULES names.
func axe(t *testing.T) string {
	script, err := os.ReadFile(filepath.Join(os.Getenv("POLITE_NODE_MODULES"), "axe-core", "axe.min.js"))
	if os.IsNotExist(err) {
		t.Skip("POLITE_NODE_MODULES names no folder with axe-core: .ci/nightly fetches it")
	}
	require.NoError(t, err)
	return string(script)
}

const violations = `axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
	.then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target + ' ' + n.failureSummary).join('; ')))`

func TestAccessibility(t *testing.T) {
	script := axe(t)
	link := start(t, "-A", "GPTBot").Link
	// Colours follow the scheme, and the layout follows the width.
	for _, v := range long.Or([]view{wide, {360, "dark"}}, views) {
		t.Run(v.String(), func(t *testing.T) {
			p := open(t, v, link)
			p.value(script + `; 0`)
			check := func(panel string) {
				assert.Empty(t, value[[]string](p, violations), panel)
			}
			check("at the start")
			p.load("User-agent: *\nDisalow: /x\nDisallow /y\nAllow: /private/\u202e\nCrawl-delay: 5\nContent-Usage: train-ai=n\n\nfoo\n")
			p.answered(func() { p.write("#urls", "/x\n/private/\u202e\nhttp://[\n/<b>") })
			p.answered(func() { p.click("#verdicts [role=option]") })
			check("findings, verdicts of all kinds, a notice")
			p.click("#compare")
			p.answered(func() { p.write("#text", "User-agent: *\nDisallow: /\n") })
			p.until(`document.querySelectorAll('#changes > li').length > 0`)
			check("a comparison")
			p.click("#parted")
			p.until(`document.querySelectorAll('#table-head th').length > 2`)
			check("a table of crawlers")
			p.load(misspelled(30))
			p.click("#findings .line[aria-expanded]:not(.fold)")
			p.click("#findings .fold")
			p.click("#earlier .fold")
			check("findings of one kind, what their check is, earlier texts")
			p.click(`#findings .apply[aria-label="Apply to line 32"]`)
			p.until(`document.querySelector('.effect')`)
			check("what an edit changes")
			p.answered(func() { p.click(".effect .yes") })
			p.click(`#findings .apply[aria-label^="Apply all"]`)
			p.until(`document.querySelector('#findings-told button')`)
			check("edits that are made")
			p.click("#agent-open")
			check("the crawlers")
			p.answered(func() { p.write("#agent", "Gogglebot") })
			check("a doubt")
			p.write("#site", "http://127.0.0.1:1")
			p.press("\r")
			p.until(`document.querySelector('#loaded').innerText.includes('127.0.0.1:1') && !document.querySelector('#load button').disabled`)
			p.click("#copy-link")
			p.until(`document.querySelector('#notice input')`)
			check("a site that does not answer, a link")
			p.answered(func() { p.write("#urls", "") })
			check("no URLs")
			p.click("#help-open")
			check("the help")
			p.press(kb.Escape)
			p.print()
			check("the printed report")
			folder, err := alone()
			require.NoError(t, err)
			p = open(t, v, "file://"+folder+"/index.html")
			p.quiet = true // the script of axe breaks the page's policy
			p.value(script + `; 0`)
			check("without a server")
		})
	}
}

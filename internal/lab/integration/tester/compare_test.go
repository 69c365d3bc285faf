package tester

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// One button compares the text with the file of a site, and leaves the text as it is.
func TestCompareWithTheSite(t *testing.T) {
	url := site(t, "/was/")
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t).Link)
		p.changesText("User-agent: *\nDisallow: /is/\n")
		p.answered(func() { p.write("#urls", "/is/1\n/was/1") })
		p.write("#site", url)
		p.click("#compare-site")
		p.until(`document.querySelectorAll('#changes > li').length > 0`)
		assert.Equal(t, "User-agent: *\nDisallow: /is/\n", value[string](p, text))
		assert.Contains(t, p.text("#before-name"), url+"/robots.txt")
		assert.Equal(t, "User-agent: *\nDisallow: /was/\n", value[string](p, `document.querySelector('#before').value`))
		p.until(`document.querySelector('#editor .gutter .changed')`)
		assert.Equal(t, "2", p.text("#editor .gutter .changed"), "the line that is new is marked")
		assert.Equal(t, "2", p.text("#before-editor .gutter .changed"))

		p.click(`#changes [aria-label="Go to line 2 now"]`)
		assert.Equal(t, "text", value[string](p, focused), "a changed verdict leads to its rule")
		p.click(`#changes [aria-label="Go to line 2 before"]`)
		assert.Equal(t, "before", value[string](p, focused))

		folder := p.downloads()
		p.click(`[data-changes=markdown]`)
		assert.Contains(t, p.saved(filepath.Join(folder, "changes.md")), "| before | after | crawlers | URL |")
		p.changesText("User-agent: *\nAllow: /is/\nDisallow: /\n")
		p.until(`document.querySelector('#changes > li').innerText.includes('may now fetch nothing but /is/')`)
		p.click("#compare")
		p.until(`!document.querySelector('#editor .gutter .changed')`)
	}
}

func TestCompareWithASiteWithoutFile(t *testing.T) {
	none := httptest.NewServer(http.NotFoundHandler())
	defer none.Close()
	p := open(t, wide, start(t).Link)
	p.write("#site", none.URL)
	p.click("#compare-site")
	p.until(`document.querySelector('#changes-total').textContent.includes('change')`)
	assert.Contains(t, p.text("#loaded"), "404")
	assert.Empty(t, value[string](p, `document.querySelector('#before').value`))
}

// A file judges the URLs of its own site.
func TestURLsOfAnotherHost(t *testing.T) {
	url := site(t, "/x")
	p := open(t, wide, start(t).Link)
	p.answered(func() { p.write("#urls", url+"/x\n"+strings.ToUpper(url)+"/x\nhttps://other.example/x\n/x") })
	assert.Empty(t, p.text("#elsewhere"), "the text is of no site")
	p.loadFrom(url)
	assert.Contains(t, p.text("#elsewhere"), "1 URL is not of "+url)
	p.answered(func() { p.write("#urls", "/x") })
	assert.Empty(t, p.text("#elsewhere"))
}

// Thousands of URLs that change in the same way are a few rows.
func TestCompareManyURLs(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.changesText("User-agent: *\nDisallow: /p/\n")
	p.click("#compare")
	p.changesText("User-agent: *\nDisallow: /q/\n")
	p.answered(func() { p.write("#urls", strings.Repeat("/p/1\n/q/1\n", 2500)) })
	p.value(`(document.querySelector('#compare-urls').focus(), 0)`)
	p.press("my")
	p.until(`document.querySelector('#changes-total').textContent.includes('5000')`)
	assert.Equal(t, 2, value[int](p, `document.querySelectorAll('#changes > li').length`))
	assert.Contains(t, p.text("#changes-total"), "5000 verdicts change")
	assert.Contains(t, p.text("#changes"), "and 2,499 more URLs like it")
}

// Both sides of a comparison show the same lines, whichever is scrolled.
func TestCompareScrollsTogether(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.changesText(manyRules(200))
	p.click("#compare")
	p.changesText(manyRules(400))
	p.until(`document.querySelector('#changes-others').innerText.includes('/folder/')`)
	for _, sides := range [][2]string{{"text", "before"}, {"before", "text"}} {
		for _, top := range []int{2100, 210, 1050} {
			p.value(fmt.Sprintf(`(document.querySelector('#%s').scrollTop = %d, 0)`, sides[0], top))
			p.until(fmt.Sprintf(`document.querySelector('#%s').scrollTop == %d`, sides[1], top))
		}
	}
	p.value(`(document.querySelector('#text').scrollTop = 7000, 0)`)
	p.until(`(e => e.scrollTop == e.scrollHeight - e.clientHeight)(document.querySelector('#before'))`)
	p.value(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`)
	assert.Equal(t, 7000, value[int](p, `document.querySelector('#text').scrollTop`), "the longer side is not held back by the shorter")
}

// A line stands beside its like, below lines that were inserted and lines that were removed.
func TestCompareAlignsLines(t *testing.T) {
	p := open(t, wide, start(t).Link)
	lines := strings.SplitAfter(manyRules(200), "\n")
	p.changesText(strings.Join(lines, ""))
	p.click("#compare")
	added := strings.Repeat("# a comment that is new\n", 40)
	p.changesText(strings.Join(lines[:50], "") + added + strings.Join(lines[50:100], "") + strings.Join(lines[120:], ""))
	p.until(`document.querySelector('#changes-others').innerText.includes('/folder/')`)
	middle := func(id string) string {
		return fmt.Sprintf(`(e => e.value.split('\n')[Math.floor((e.scrollTop + e.clientHeight / 2) / 21)])(document.querySelector('#%s'))`, id)
	}
	for _, sides := range [][2]string{{"text", "before"}, {"before", "text"}} {
		for _, line := range []int{30, 70, 95, 165} { // above, between and below, on both sides
			if sides[0] == "text" && line > 50 {
				line += 40
			}
			p.value(fmt.Sprintf(`(e => { e.scrollTop = %d * 21 - e.clientHeight / 2; return 0 })(document.querySelector('#%s'))`, line, sides[0]))
			p.until(middle("text") + ` == ` + middle("before"))
			assert.Contains(t, value[string](p, middle("text")), "/", line)
		}
	}
}

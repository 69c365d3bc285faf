package tester

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// text is what the editor holds.
const text = `document.querySelector('#text').value`

func TestVerdictsFollowTheKeys(t *testing.T) {
	link := start(t).Link
	for _, v := range views {
		t.Run(v.String(), func(t *testing.T) {
			p := open(t, v, link)
			assert.Equal(t, []string{"✓ allowed /", "✕ disallowed /private/diary line 3", "✓ allowed /private/open.html line 4"}, p.verdicts())
			assert.Equal(t, "2 allowed · 1 disallowed", p.text("#totals"))

			p.write("#text", "User-agent: *\nDisallow: /")
			p.until(`document.querySelector('#totals').textContent == '0 allowed · 3 disallowed'`)
			p.answered(func() { p.press("open") })
			assert.Equal(t, "3 allowed · 0 disallowed", p.text("#totals"))
			assert.Equal(t, "User-agent: *\nDisallow: /open", value[string](p, text))
		})
	}
}

func TestVerdictLeadsToItsLineAndStory(t *testing.T) {
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t).Link)
		long := "User-agent: *\n" + strings.Repeat("# nothing\n", 200) + "Disallow: /private/\n"
		p.write("#text", long)
		p.until(`document.querySelector('#verdicts').innerText.includes('line 202')`)
		p.answered(func() { p.click("#verdicts [role=option]:nth-child(2)") })
		assert.Contains(t, p.text("#story"), "✕ disallowed /private/diary")
		assert.Contains(t, p.text("#story .decides"), "Disallow: /private/")
		p.until(`document.querySelector('.gutter .decides')?.textContent == '202'`)
		seen := `(r => { const e = document.querySelector('#editor').getBoundingClientRect(); return r.top >= e.top && r.bottom <= e.bottom })(document.querySelector('.gutter .decides').getBoundingClientRect())`
		assert.True(t, value[bool](p, seen), "the deciding line is in sight, at %s", v)
	}
}

func TestFindingIsAppliedAndUndone(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.load("User-agent: *\nDisalow: /x\nDisallow /y\n")
	assert.Contains(t, p.text("#findings-total"), "warning")
	assert.Contains(t, strings.Join(p.findings(), "\n"), `Line 2 | "Disalow" is read as Disallow by some crawlers only`)
	p.until(`document.querySelector('.gutter .warning')?.textContent == '2'`)

	require.NotEmpty(t, p.text(".apply"), "the finding has no edit")
	p.answered(func() { p.click(`[aria-label="Apply to line 2"]`) })
	assert.Equal(t, "User-agent: *\nDisallow: /x\nDisallow /y\n", value[string](p, text))
	assert.NotContains(t, p.text("#findings"), "Disalow\"")
	p.answered(func() { p.command("z", "undo") })
	assert.Equal(t, "User-agent: *\nDisalow: /x\nDisallow /y\n", value[string](p, text))

	p.click("#findings .line")
	assert.Equal(t, 2, value[int](p, `document.querySelector('#text').value.slice(0, document.querySelector('#text').selectionStart).split('\n').length`))
	p.press(kb.F8)
	p.answered(func() { p.press(".", kb.ModifierCtrl) })
	assert.Equal(t, "User-agent: *\nDisalow: /x\nDisallow: /y\n", value[string](p, text))
}

// An edit is for the text that was read: when the text has changed since, it does nothing.
func TestFindingIsAppliedOnce(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.load("User-agent: *\nDisalow: /x\n")
	apply := `document.querySelector('[aria-label="Apply to line 2"]')`
	p.answered(func() { p.value(`(apply => (apply.click(), apply.click(), 0))(` + apply + `)`) })
	assert.Equal(t, "User-agent: *\nDisallow: /x\n", value[string](p, text))

	p.load("User-agent: *\nDisalow: /x\n")
	p.answered(func() {
		p.value(`(document.querySelector('#text').focus(), document.querySelector('#text').setSelectionRange(0, 0), document.execCommand('insertText', false, '# mine\n'), ` + apply + `.click(), 0)`)
	})
	assert.Equal(t, "# mine\nUser-agent: *\nDisalow: /x\n", value[string](p, text))
}

// When a line end of another kind is deleted, its mark stays in the text; it is no octet.
func TestFindingIsAppliedBesideAMark(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.load("User-agent: *\n \rDisalow: /x\n")
	at := strings.Index("User-agent: *\n .", ".") + 1
	p.answered(func() {
		p.value(fmt.Sprintf(`(document.querySelector('#text').focus(), document.querySelector('#text').setSelectionRange(%d, %d), document.execCommand('delete'), 0)`, at, at+1))
	})
	p.answered(func() { p.click(`[aria-label="Apply to line 2"]`) })
	assert.Equal(t, "User-agent: *\n Disallow: /x\n", strings.ToValidUTF8(value[string](p, text+`.replaceAll('\udc0d', '')`), "?"))
}

func TestCrawlerIsPicked(t *testing.T) {
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t, "-A", "GPTBot").Link)
		assert.Contains(t, p.text("#known"), "OpenAI")
		p.write("#text", "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\nCrawl-delay: 3\n")

		p.write("#agent", "googlebot-n")
		p.press(kb.ArrowDown)
		assert.Equal(t, p.text("#crawlers [aria-selected=true] .name"), "Googlebot-News")
		assert.Equal(t, "true", value[string](p, `document.querySelector('#agent').getAttribute('aria-expanded')`))
		p.answered(func() { p.press(kb.Enter) })
		assert.Equal(t, "Googlebot-News", value[string](p, `document.querySelector('#agent').value`))
		assert.Equal(t, "3 allowed · 0 disallowed", p.text("#totals"), "Googlebot-News goes by Googlebot")
		assert.Contains(t, p.text("#known a"), "owner says")
		assert.Equal(t, "noreferrer noopener", value[string](p, `document.querySelector('#known a').rel`))

		for agent, totals := range map[string]string{
			"OtherBot":            "0 allowed · 3 disallowed",
			"OtherBot, Googlebot": "3 allowed · 0 disallowed",
			"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": "3 allowed · 0 disallowed",
		} {
			p.answered(func() { p.write("#agent", agent) })
			assert.Equal(t, totals, p.text("#totals"), agent)
		}
		p.answered(func() { p.write("#agent", "Gogglebot") })
		assert.Contains(t, p.text("#doubt"), "Googlebot")
		p.press(kb.Escape)
		p.click("#agent-open")
		p.answered(func() { p.click("#crawlers [role=option]:nth-child(2)") })
	}
}

func TestManyURLs(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.answered(func() { p.write("#urls", strings.Repeat("/private/x\n/y\nhttp://[\n", 3333)+"/last\n/left\n/out") })
	assert.Equal(t, "10,000 URLs; 2 more are left out", p.text("#urls-total"))
	assert.Equal(t, "3,334 allowed · 3,333 disallowed · 3,333 invalid", p.text("#totals"))
	assert.Less(t, value[int](p, `document.querySelectorAll('#verdicts [role=option]').length`), 30, "rows that are drawn")

	p.value(`(document.querySelector('#verdicts').focus(), 0)`)
	p.press(kb.End)
	p.answered(func() { p.press(kb.Enter) })
	assert.Contains(t, p.text("#story"), "/last")
	assert.Contains(t, p.verdicts(), "✓ allowed /last")
	p.click(`#filter [value=disallowed]`)
	assert.Equal(t, "3333", value[string](p, `document.querySelector('#verdicts [role=option]').getAttribute('aria-setsize')`))

	before := p.asked("POST")
	for _, key := range "# three keys" {
		p.answered(func() { p.value(`(document.querySelector('#text').focus(), 0)`); p.press(string(key)) })
	}
	assert.Equal(t, len("# three keys"), p.asked("POST")-before, "one request for a key")
}

func TestFastTypingKeepsTheLastAnswer(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.write("#text", "User-agent: *\nDisallow: /")
	p.until(`document.querySelector('#totals').textContent == '0 allowed · 3 disallowed'`)
	p.value(`(window.lost = 0, new MutationObserver(() => { if (!document.querySelector('#totals').textContent) lost++ }).observe(document.querySelector('#totals'), {childList: true}), 0)`)
	p.press("private/d")
	p.until(`document.querySelector('#totals').textContent == '2 allowed · 1 disallowed'`)
	assert.Zero(t, value[int](p, `lost`))
}

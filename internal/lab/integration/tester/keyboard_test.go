package tester

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// focused is what has the focus.
const focused = `(document.activeElement.id || document.activeElement.textContent).trim()`

func TestEverythingByKeyboard(t *testing.T) {
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t).Link)
		var panels []string
		for range 6 {
			p.press(kb.F6)
			panels = append(panels, value[string](p, focused))
		}
		assert.Equal(t, "text agent urls several-title story-title findings-title", strings.Join(panels, " "))
		p.press(kb.F6, kb.ModifierShift)
		assert.Equal(t, "story-title", value[string](p, focused))
		p.press(kb.F6+kb.F6, kb.ModifierShift)

		p.press(kb.F1)
		assert.True(t, value[bool](p, `document.querySelector('#help').open`))
		p.press(kb.Escape)
		assert.False(t, value[bool](p, `document.querySelector('#help').open`))
		assert.Equal(t, "urls", value[string](p, focused), "the focus is where it was")

		p.press("\t\t") // past the filter, to the verdicts
		assert.Equal(t, "verdicts", value[string](p, focused))
		p.answered(func() { p.press(kb.ArrowUp + kb.Enter) })
		assert.Contains(t, p.text("#story"), "/private/diary")
		assert.NotEqual(t, "none", value[string](p, `getComputedStyle(document.activeElement).outlineStyle`), "the focus can be seen")
	}
}

// TestTabReachesEveryControl holds the page to what the tab key reaches: all controls in the
// order in which they stand, but those of a group by its first. Each has a name, and shows its focus.
func TestTabReachesEveryControl(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.load("User-agent: *\nDisalow: /\n")
	p.click("#compare")
	p.answered(func() { p.write("#text", "User-agent: *\nDisalow: /x\nDisalow: /y\n") })
	p.until(`document.querySelector('#changes > li')`)
	p.answered(func() {
		p.value(`(document.querySelector('#several').value = 'ai-training', document.querySelector('#several').dispatchEvent(new Event('change')), 0)`)
	})
	p.value(`(document.activeElement.blur(), scrollTo(0, 0), getSelection().removeAllRanges(), 0)`)
	controls := value[[]string](p, `[...document.querySelectorAll('a[href], button, input, select, textarea, [tabindex="0"], summary')]
		.filter(e => e.checkVisibility() && e.tabIndex >= 0 && !(e.type == 'radio' && !e.checked)).map(e => e.id || e.textContent.trim())`)
	p.value(`(document.querySelector('.skip').focus(), 0)`)
	reached := []string{value[string](p, focused)}
	for range len(controls) - 1 {
		p.press("\t")
		reached = append(reached, value[string](p, focused))
		lacks := value[string](p, `(e => (getComputedStyle(e).outlineStyle == 'none' ? 'an outline' : '') + (e.ariaLabel || e.labels?.[0]?.textContent.trim() || e.textContent.trim() ? '' : 'a name'))(document.activeElement)`)
		assert.Empty(t, lacks, "%s lacks", reached[len(reached)-1])
	}
	assert.Greater(t, len(controls), 35)
	assert.Equal(t, controls, reached)
}

// Each kind of control does its work by keys alone.
func TestControlsWorkByKeys(t *testing.T) {
	p := open(t, wide, start(t).Link)
	folder := p.downloads()
	p.load("User-agent: *\nDisalow: /a\nDisalow: /b\n")
	p.until(`document.querySelector('#heard').textContent.includes('Findings: 2')`) // all that follows the load is shown
	for _, c := range []struct{ control, keys, does string }{
		{"#skip", kb.Enter, `document.activeElement.id == 'text'`},
		{"#findings-count", kb.Enter, `document.activeElement.id == 'findings-title'`},
		{"#findings [aria-controls]", " ", `document.querySelector('#findings .each') && !document.querySelector('#findings .each').hidden`},
		{"#findings .fold", kb.Enter, `document.querySelector('#findings .fold').getAttribute('aria-expanded') == 'true'`},
		{"#findings .line:not([aria-expanded])", kb.Enter, `document.activeElement.id == 'text'`},
		{"#filter :checked", kb.ArrowRight, `document.querySelector('#filter :checked').value == 'allowed'`},
		{"#filter :checked", kb.ArrowLeft, `document.querySelector('#filter :checked').value == ''`},
		{"#verdicts", kb.ArrowDown + kb.Enter, `document.querySelector('#story').innerText.includes('/private/')`},
		{"#copy-link", kb.Enter, `document.querySelector('#notice input')`},
		{"#notice button:last-of-type", " ", `!document.querySelector('#notice input')`},
		{"#compare", " ", `document.querySelector('#compare').ariaPressed == 'true'`},
		{"#compare", kb.Enter, `document.querySelector('#compare').ariaPressed == 'false'`},
		{"#several", "AI t", `document.querySelectorAll('#table-head th').length > 1`},
		{"#table-head button", kb.Enter, `document.querySelector('#agent').value != 'Googlebot'`},
		{"#parted", " ", `document.querySelector('#text').value.includes('GPTBot')`},
		{"#agent", kb.ArrowDown + kb.ArrowDown + kb.Escape, `document.querySelector('#crawlers').hidden`},
		{"#help-open", kb.Enter, `document.querySelector('#help').open`},
		{"#help button", kb.Escape, `!document.querySelector('#help').open`},
	} {
		p.value(`(document.querySelector('` + c.control + `').focus(), 0)`)
		p.press(c.keys)
		p.until(c.does)
	}
	p.value(`(document.querySelector('#save').focus(), 0)`)
	p.press(kb.Enter)
	assert.Contains(t, p.saved(folder+"/robots.txt"), "GPTBot")
}

// TestFocusStaysInWhatIsDrawnAnew: an answer that comes while the user is on a control of what it
// changes leaves the focus there, so the next key has its effect.
func TestFocusStaysInWhatIsDrawnAnew(t *testing.T) {
	text := "User-agent: *\nDisalow: /a\nDisalow: /b\nDisallow: /private/\n"
	p := open(t, wide, start(t).Link)
	p.load(text)
	p.click("#compare")
	p.answered(func() {
		p.value(`(document.querySelector('#agent').value = 'GPTBot', document.querySelector('#several').value = 'ai-training', document.querySelector('#several').dispatchEvent(new Event('change')), 0)`)
	})
	for _, control := range []string{"#story button", "#findings .fold", "#findings [aria-controls]", "#table-head button", "#table-body button", "#changes button", "#legend button"} {
		text = "User-agent: Other\nDisalow: /c\n\n" + text + "Disallow: /\n" // lines, findings and verdicts change
		edited, err := json.Marshal(text)
		require.NoError(t, err)
		p.until(`document.querySelector('` + control + `')`)
		p.value(`(document.querySelector('` + control + `').focus(), window.held = document.activeElement, 0)`)
		p.value(`(document.querySelector('#text').value = ` + string(edited) + `, document.querySelector('#text').dispatchEvent(new Event('input')), 0)`)
		p.until(`!window.held.isConnected`)
		assert.True(t, value[bool](p, `document.activeElement.matches('`+control+`')`), control)
	}
}

func TestTheme(t *testing.T) {
	paper := `getComputedStyle(document.body).backgroundColor`
	light, dark := open(t, wide, start(t).Link), open(t, view{1400, "dark"}, start(t).Link)
	assert.NotEqual(t, value[string](light, paper), value[string](dark, paper))
	light.value(`(document.querySelector('#theme').focus(), 0)`)
	light.press("Dark")
	assert.Equal(t, value[string](dark, paper), value[string](light, paper), "the switch is stronger than the system")
}

func TestTotalsAreReadOut(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.write("#text", "User-agent: *\nDisallow: /\n")
	p.until(`document.querySelector('#heard').textContent.startsWith('0 allowed · 3 disallowed. Findings:')`)
	assert.Equal(t, "polite", value[string](p, `document.querySelector('#heard').ariaLive`))
}

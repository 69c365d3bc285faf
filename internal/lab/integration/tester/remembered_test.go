package tester

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/stretchr/testify/assert"
)

// A theme that was chosen is there again, and an edit that was undone is none.
func TestThemeIsRemembered(t *testing.T) {
	link := start(t).Link
	p := open(t, wide, link)
	p.answered(func() { p.write("#text", scene) })
	p.value(`((theme) => { theme.value = 'dark'; theme.dispatchEvent(new Event('change')); return 0 })(document.querySelector('#theme'))`)
	p.leave(reload)
	p.until(`document.documentElement.dataset.theme == 'dark' && document.querySelector('#theme').value == 'dark'`)
	p.value(`(localStorage.clear(), 0)`)

	const asks = `(() => { const e = new Event('beforeunload', { cancelable: true }); dispatchEvent(e); return e.defaultPrevented })()`
	p = open(t, wide, start(t).Link)
	assert.False(t, value[bool](p, asks))
	p.value(`(document.querySelector('#text').focus(), 0)`)
	p.answered(func() { p.press("#") })
	assert.True(t, value[bool](p, asks))
	p.answered(func() { p.command("z", "undo") })
	assert.False(t, value[bool](p, asks), "it is the text that was there")
}

// On a phone, no field makes the browser zoom in, and a tap on a verdict brings its reason into sight.
func TestPhone(t *testing.T) {
	link := start(t).Link
	const smallest = `Math.min(...[...document.querySelectorAll('input[type=text], textarea, select')].map((e) => parseFloat(getComputedStyle(e).fontSize)))`
	sideways := open(t, view{844, "light"}, link)
	sideways.do(call(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}))
	assert.GreaterOrEqual(t, value[float64](sideways, smallest), 16.0)

	p := open(t, phone, link)
	p.answered(func() { p.write("#text", scene) })
	p.answered(func() { p.write("#urls", sceneURLs) })
	assert.GreaterOrEqual(t, value[float64](p, smallest), 16.0)
	assert.InDelta(t, value[float64](p, `parseFloat(getComputedStyle(document.querySelector('#text')).lineHeight)`), value[float64](p, `[...document.querySelectorAll('.gutter div')].find((e) => e.offsetHeight > 0).getBoundingClientRect().height`), 0.1)
	p.answered(func() { p.click("#verdicts [role=option]:nth-child(3)") })
	p.until(`document.querySelector('#story-title').getBoundingClientRect().top < innerHeight / 2`)
}

package tester

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

// hostile are files that try to be more than text.
var hostile = map[string]string{
	"HTML":      "<!doctype html><html><body onload=\"window.hit=1\"><script>window.hit=1</script><img src=x onerror=window.hit=1></body></html>",
	"markup":    "User-agent: <img src=x onerror=window.hit=1>*\nDisallow: /<script>window.hit=1</script>\nDisalow: /<b>\nSitemap: javascript:window.hit=1\nContent-Usage: train-ai=<b>\nCrawl-delay: <i>\n",
	"script":    "</textarea></script><script>window.hit=1</script>\nUser-agent: *\nDisallow: /</textarea><script>window.hit=1</script>\n",
	"ANSI":      "User-agent: *\nDisallow: /\x1b[2J\x1b]0;title\x07\nDissallow: /\x1b[31m\n",
	"bidi":      "User-agent: *\nDisallow: /\u202egnp.exe\u2066\nDisalow: /\u200f\u202e\nSitemap: https://example.com/\u202e\n",
	"NUL":       "User-agent: *\x00\nDisallow: /\x00a\n\x00",
	"no UTF-8":  "User-agent: \xff\xfe\nDisallow: /\xc0\xaf\nUser-agent: *\nDisallow: /\xe9",
	"long line": "User-agent: *\nDisallow: /" + strings.Repeat("a*", 100_000) + "\n" + strings.Repeat("<b>", 50_000),
	"500 KiB":   "User-agent: *\n" + strings.Repeat("Disalow /<b>\u202e\n", 32_000),
	"lines":     strings.Repeat("\r\n\r\r", 100_000),
	"names":     "User-agent: constructor\nUser-agent: __proto__\nDisallow: /__proto__\n",
}

func TestHostileFileIsText(t *testing.T) {
	urls := "/<img src=x onerror=window.hit=1>\n/\u202egnp.exe\nhttps://example.com/<script>window.hit=1</script>\njavascript:window.hit=1\n/\x1b[2J\n__proto__\n" + strings.Repeat("/long", 2000)
	link := start(t).Link
	for name, file := range hostile {
		for _, v := range long.Or([]view{phone}, []view{wide, phone}) { // a phone is the first to be too narrow
			t.Run(name+" at "+v.String(), func(t *testing.T) {
				if testing.Short() && len(file) > 100_000 {
					t.Skip("takes long")
				}
				p := open(t, v, link)
				p.click("#compare")
				p.load(file)
				p.answered(func() { p.write("#urls", urls) })
				p.answered(func() { p.write("#agent", "Bot<b>, \u202eBot") })
				p.answered(func() { p.write("#agent", "GPTBot") })
				p.answered(func() { p.click("#verdicts [role=option]:nth-child(2)") })
				p.until(`document.querySelector('#changes-total').textContent != ''`)
				assert.False(t, value[bool](p, `'hit' in window`), "a script of the file has run")
				assert.Zero(t, value[int](p, `document.querySelectorAll('main script, main img, main b, main i').length`), "markup of the file is markup of the page")
				assert.Empty(t, value[[]string](p, `(document.body.innerText.match(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069\u200e\u200f]/g) ?? []).filter(() => true)`), "characters that act are shown by name")
				assert.LessOrEqual(t, value[int](p, `document.documentElement.scrollWidth`), int(v.width), "the page is not wider than the screen")
			})
		}
	}
}

// A character of direction changes the order of nothing in the editor and among the URLs. It
// is told by its name, and stays in the file.
func TestDirectionIsTold(t *testing.T) {
	file := "User-agent: *\nDisallow: /\u202egnp.exe\nDisalow: /\u2066\u200f\u061cx\n"
	acts := `(text => /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text))`
	p := open(t, wide, start(t).Link)
	p.load(file)
	assert.False(t, value[bool](p, acts+`(`+text+`)`))
	assert.Contains(t, p.text("#text-acts"), "U+202E in line 2, U+2066 in line 3, U+200F in line 3, U+061C in line 3")
	p.answered(func() { p.write("#urls", "/\u202egnp.exe\n/x") })
	assert.False(t, value[bool](p, acts+`(document.querySelector('#urls').value)`))
	assert.Contains(t, p.text("#urls-acts"), "U+202E in line 1")
	assert.Equal(t, []string{"✕ disallowed /U+202Egnp.exe line 2", "✓ allowed /x"}, p.verdicts())

	p.answered(func() { p.click(`[aria-label="Apply to line 3"]`) })
	folder := p.downloads()
	p.click("#save")
	assert.Equal(t, strings.Replace(file, "Disalow", "Disallow", 1), p.saved(filepath.Join(folder, "robots.txt")))
	p.answered(func() { p.write("#text", "User-agent: *\nDisallow: /a\u202eb\n") })
	assert.False(t, value[bool](p, acts+`(`+text+`)`), "also if it is pasted")
	assert.Contains(t, p.text("#text-acts"), "U+202E in line 2")
}

package tester

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// misspelled is a file with so many lines of one mistake, and one of another.
func misspelled(n int) string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range n {
		fmt.Fprintf(&b, "Disalow: /%d/\n", i)
	}
	return b.String() + "Disallow: \\x\n"
}

// The page counts as lint does, and goes on counting.
func TestFindingsAreCounted(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.load(misspelled(821))
	assert.Contains(t, p.text("#findings-total"), "821 warnings")
	assert.Len(t, p.findings(), 2, "equal findings are in one row")
	assert.NotContains(t, p.text("#findings"), "more like")
	p.click("#findings .fold")
	assert.Equal(t, "true", value[string](p, `document.querySelector('#findings .fold').getAttribute('aria-expanded')`))
	assert.NotContains(t, p.text("#findings .explain"), "U+000A", "an example has lines")
	p.click("#findings .fold")
	assert.NotContains(t, p.text("#findings .explain"), "For example")
	p.click("#findings .line[aria-expanded]:not(.fold)")
	assert.Contains(t, p.text("#findings"), "and 721 more like it")
	for i := range 12 {
		p.answered(func() { p.click(fmt.Sprintf(`[aria-label="Apply to line %d"]`, i+2)) })
	}
	assert.Contains(t, p.text("#findings-total"), "809 warnings")
	assert.Contains(t, p.text("#findings"), "and 709 more like it", "the row stays open")
}

// All equal findings are mended by one click, and that is taken back by one key. Neither
// leads away from where the user is.
func TestApplyToAll(t *testing.T) {
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t).Link)
		file := misspelled(821)
		p.load(file)
		p.value(`(document.querySelector('#findings-panel').scrollIntoView({block: 'start'}), 0)`)
		seen := `(r => r.top > -10 && r.top < innerHeight)(document.querySelector('#findings-title').getBoundingClientRect())`
		p.answered(func() { p.click(`[aria-label="Apply all: misspelled-record"]`) })
		assert.Equal(t, strings.ReplaceAll(file, "Disalow", "Disallow"), value[string](p, text))
		assert.Contains(t, p.text("#findings-told"), "821 edits made.")
		assert.True(t, value[bool](p, seen), "the findings are in sight at %s", v)
		assert.True(t, value[bool](p, `document.querySelector('#findings-panel').contains(document.activeElement)`), "the focus stays")
		p.answered(func() { p.command("z", "undo") })
		assert.Equal(t, file, value[string](p, text))
		assert.True(t, value[bool](p, seen), "the findings are in sight at %s", v)
	}
}

// An edit that changes a verdict says so, by the mouse as by the keyboard.
func TestApplySaysWhatChanges(t *testing.T) {
	file := "User-agent: *\nDisallow: \\x\n"
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t).Link)
		p.load(file)
		p.click(`[aria-label="Apply to line 2"]`)
		p.until(`document.querySelector('.effect')`)
		assert.Contains(t, p.text(".effect"), "✓ allowed → ✕ disallowed line 2")
		assert.Equal(t, file, value[string](p, text), "nothing is applied yet")
		p.click(".effect button:not(.apply)")
		assert.Empty(t, p.text(".effect"))
		assert.Equal(t, file, value[string](p, text))

		p.value(`(document.querySelector('#text').focus(), 0)`)
		p.press(kb.F8)
		p.press(".", kb.ModifierCtrl)
		p.until(`document.querySelector('.effect')`)
		assert.Equal(t, "Apply", value[string](p, focused))
		p.answered(func() { p.press(kb.Enter) })
		assert.NotEqual(t, file, value[string](p, text))
		assert.Empty(t, p.text(".effect"))
	}
}

// On a phone the verdicts come before the findings, and a file with many is no long page.
func TestPhoneShowsVerdictsFirst(t *testing.T) {
	p := open(t, phone, start(t).Link)
	p.load(strings.Repeat(misspelled(100)+"foo\nDisallow /a\nAllow: b\nCrawl-delay: x\nSitemap: y\nUser-agent: a b\n", 5))
	top := `id => document.querySelector(id).getBoundingClientRect().top`
	assert.True(t, value[bool](p, `(top => top('#verdicts') < top('#findings') && top('#story') < top('#findings'))(`+top+`)`))
	assert.Len(t, p.findings(), 5)
	require.Contains(t, p.text("#findings-more"), "more kind")
	assert.Less(t, value[int](p, `document.documentElement.scrollHeight`), 4500, "pixels")
	p.click("#findings-more")
	assert.Greater(t, len(p.findings()), 5)
}

// Edits that are made at once are one step of the browser's own undo, and of its redo, whatever was
// typed before.
func TestApplyAllIsOneStep(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.load(misspelled(821))
	p.value(`(document.querySelector('#text').focus(), document.querySelector('#text').setSelectionRange(0, 0), 0)`)
	p.answered(func() { p.press("#") })
	typed := value[string](p, text)
	require.Equal(t, "#"+misspelled(821), typed)
	p.answered(func() { p.click(`[aria-label="Apply all: misspelled-record"]`) })
	applied := strings.ReplaceAll(typed, "Disalow", "Disallow")
	require.Equal(t, applied, value[string](p, text))
	p.value(`(document.querySelector('#text').focus(), 0)`)
	for _, step := range []struct{ command, want string }{{"undo", typed}, {"redo", applied}, {"undo", typed}, {"undo", misspelled(821)}} {
		p.answered(func() { p.command("F13", step.command) }) // a key that means nothing to the page: as from the menu
		assert.Equal(t, step.want, value[string](p, text), step.command)
	}
}

// Undo and redo bring back each text to its last octet, also where an edit reaches the end of the
// text, and where several are of one line.
func TestEditsAtTheEndAreRedone(t *testing.T) {
	p := open(t, wide, start(t).Link)
	all := func(check string) func() { return func() { p.click(`[aria-label="Apply all: ` + check + `"]`) } }
	for _, c := range []struct {
		file  string
		apply func()
		want  string // "" for any
	}{
		{"User-agent: a/1.0\nDisallow: /\n\nUser-agent: b/2.0", all("version-in-user-agent"), "User-agent: a\nDisallow: /\n\nUser-agent: b"},
		{"User-agent: a\nDisallow: /x\nDisallow: /x\nDisallow: /x", all("duplicate-rule"), "User-agent: a\nDisallow: /x\n\n"},
		{"User-agent: a\nContent-Signal: ai_train=no, serach=yes\n", all("misspelled-use"), "User-agent: a\nContent-Signal: ai-train=no, search=yes\n"},
		{"User-agent: a\nDisallow: /x\n", func() { p.click("#parted") }, ""},
		{"User-agent: a\nDisallow: /x", func() { p.click("#parted") }, ""},
	} {
		p.load(c.file)
		p.answered(c.apply)
		p.until(text + ` != ` + fmt.Sprintf("%q", c.file))
		applied := value[string](p, text)
		if c.want != "" {
			assert.Equal(t, c.want, applied)
		}
		p.value(`(document.querySelector('#text').focus(), 0)`)
		for _, want := range []string{c.file, applied, c.file, applied} {
			command := map[bool]string{true: "undo", false: "redo"}[want == c.file]
			p.answered(func() { p.command("F13", command) })
			assert.Equal(t, want, value[string](p, text), "%s in %q", command, c.file)
		}
	}
}

// A button names no number that it does not keep: a finding without an edit is told of as left.
func TestApplyAllCounts(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.load("User-agent: a/1.0\nUser-agent: b/2.0\nUser-agent: c*\nDisallow: /\n")
	assert.Contains(t, p.text("#findings"), "3 ×")
	assert.Equal(t, "Apply all", p.text(`[aria-label="Apply all: version-in-user-agent"]`))
	p.answered(func() { p.click(`[aria-label="Apply all: version-in-user-agent"]`) })
	assert.Equal(t, "User-agent: a\nUser-agent: b\nUser-agent: c*\nDisallow: /\n", value[string](p, text))
	assert.Equal(t, "2 edits made; 1 finding of this kind left. Undo", p.text("#findings-told"))
}

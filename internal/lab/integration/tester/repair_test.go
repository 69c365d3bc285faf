package tester

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

// A repair is what a user does until the page has nothing to apply.
type repair struct {
	steps int // clicks, or keys that are pressed
	took  time.Duration
	text  string
	left  string // findings that the user has to think about
}

// applicable are the buttons of rows that apply something.
const applicable = `[...document.querySelectorAll('#findings > .finding > .apply')]`

// repair lets apply begin the first edit, and confirm agree to what it changes, until nothing
// is left. Both return how many clicks or keys they take.
func (p *page) repair(apply, confirm func() int) (r repair) {
	began := time.Now()
	for value[int](p, applicable+`.length`) > 0 {
		p.value(`(performance.clearMeasures(), window.before = document.querySelector('#text').value, 0)`)
		changed := `document.querySelector('#text').value != before`
		r.steps += apply()
		p.until(`document.querySelector('.effect .yes') || ` + changed)
		if value[bool](p, `!!document.querySelector('.effect .yes')`) {
			r.steps += confirm()
		}
		p.until(changed + ` && performance.getEntriesByName('keystroke to verdicts').length > 0`)
	}
	r.took, r.text, r.left = time.Since(began), value[string](p, text), p.text("#findings-total")
	return r
}

// byMouse repairs the text by clicks.
func (p *page) byMouse() repair {
	click := func(selector string) func() int { return func() int { p.click(selector); return 1 } }
	return p.repair(click(`#findings > .finding > .apply`), click(`.effect .yes`))
}

// byKeys repairs the text by keys alone. After an edit, the focus is on the next one.
func (p *page) byKeys() repair {
	isReady := `document.activeElement.matches('#findings > .finding > .apply')`
	enter := func() int { p.press(kb.Enter); return 1 }
	return p.repair(func() (keys int) {
		for ; !value[bool](p, `document.activeElement.closest('#findings-panel') != null`); keys++ {
			p.press(kb.F6)
		}
		for ; !value[bool](p, isReady); keys++ {
			p.press("\t")
		}
		return keys + enter()
	}, enter)
}

// Real files are repaired to the end in few clicks, or as few keys, whatever the number of
// their mistakes: a click for each kind, and one to agree to what changes.
func TestRealFilesAreRepaired(t *testing.T) {
	files, _ := corpus.Load(t)
	hosts := []string{"www.afrihost.com", "play.google.com", "www.sophos.com", "www.dbs.com", "www.smugmug.com", "docs.oracle.com"}
	for _, host := range hosts[:long.Or(3, len(hosts))] {
		t.Run(host, func(t *testing.T) {
			p := open(t, wide, start(t).Link)
			p.load(string(files[host]))
			found := p.text("#findings-total")
			mouse := p.byMouse()
			p.load(string(files[host]))
			p.value(`(document.activeElement.blur(), 0)`)
			keys := p.byKeys()
			t.Logf("%d KB, %s: %d clicks in %v, %d keys in %v; left: %s", len(files[host])/1024, found,
				mouse.steps, mouse.took.Round(time.Second/10), keys.steps, keys.took.Round(time.Second/10), mouse.left)
			assert.Equal(t, mouse.text, keys.text)
			assert.Equal(t, mouse.left, keys.left)
			assert.LessOrEqual(t, mouse.steps, 20, "clicks")
			assert.LessOrEqual(t, keys.steps, 60, "keys")
		})
	}
}

package tester

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// painted returns the lines behind the text, with the kind of each part that has one.
const painted = `[...document.querySelectorAll('#editor .behind > div')].filter(r => !r.hidden).map(r => [...r.querySelectorAll('.text span')]
	.map(s => s.className.trim() ? s.className.trim().replaceAll(/ +/g, '+') + '(' + s.textContent + ')' : s.textContent).join(''))`

// Keys, paths and comments have colours, and what findings mean is underlined.
func TestColours(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.load("# all\nUser-agent: *\nDisalow: /x # why\nAllow: /ä\nCrawl-delay: 2\n\nfoo\n")
	assert.Equal(t, []string{
		"comment(# all)", "key(User-agent:)agent( *)", "key+under(Disalow)key(:)value( /x )comment(# why)", "under(Allow: )under(/ä)", "key(Crawl-delay:)value( 2)", "", "under(foo)", "",
	}, value[[]string](p, painted))
	assert.Equal(t, "rgba(0, 0, 0, 0)", value[string](p, `getComputedStyle(document.querySelector('#text')).webkitTextFillColor`))
}

// The text behind is where the text in front is: at the same height, and as wide, wherever the
// editor has scrolled to.
func TestColoursFit(t *testing.T) {
	p := open(t, wide, start(t).Link)
	var lines strings.Builder
	for range 100 {
		lines.WriteString("Disallow: /" + strings.Repeat("path/", 60) + "\t# a comment\nAllow: /日本語/ü/\U0001F600\n")
	}
	p.load(lines.String())
	widest := value[float64](p, `Math.max(...[...document.querySelectorAll('#editor .behind .text')].map(e => e.offsetWidth)) - 10`)
	assert.InDelta(t, value[float64](p, `document.querySelector('#text').scrollWidth`), widest, 2, "as wide as the text in front, whose padding at its end does not scroll")
	p.value(`(document.querySelector('#text').scrollTo(300, 1000), new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0)))))`)
	where := value[[]float64](p, `(() => { const box = document.querySelector('#text').getBoundingClientRect(), row = [...document.querySelectorAll('#editor .behind > div')].find(r => !r.hidden);
		const n = Number([...document.querySelectorAll('#editor .gutter > div')].find(r => !r.hidden).textContent);
		return [row.getBoundingClientRect().top - box.top - 8 - (n - 1) * 21 + 1000, row.firstChild.getBoundingClientRect().left - box.left + 300] })()`)
	assert.InDeltaSlice(t, []float64{0, 0}, where, 1)
}

// A line of any length is shown by the text itself.
func TestLongLinesAreShown(t *testing.T) {
	p := open(t, wide, start(t).Link)
	p.load("User-agent: *\nDisallow: /" + strings.Repeat("%", 300_000) + "\n")
	assert.NotEqual(t, "rgba(0, 0, 0, 0)", value[string](p, `getComputedStyle(document.querySelector('#text')).webkitTextFillColor`))
	assert.Less(t, value[int](p, `document.querySelector('#editor .behind').textContent.length`), 10_000)
}

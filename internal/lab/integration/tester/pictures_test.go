package tester

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"slices"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the pictures of docs, and what they show")

// scene is what the pictures show.
const scene = `# robots.txt of example.com
User-agent: *
Disallow: /private/
Allow: /private/open.html
Disallow: /*.pdf$
Crawl-delay: 2

# Crawlers that train models
User-agent: GPTBot
User-agent: CCBot
Disalow: /articles/
Allow: /articles/about.html
Disallow /drafts/
Content-Usage: train-ai=n

Sitemap: https://example.com/sitemap.xml
`

const sceneURLs = `https://example.com/
https://example.com/articles/2026/spring
https://example.com/articles/about.html
https://example.com/drafts/next
https://example.com/report.pdf
/private/diary`

// shown is what the page says, to the eye as to a screen reader.
const shown = `(() => { const said = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	document.querySelector('#version').textContent = '';
	for (let n; (n = walker.nextNode());) {
		const e = n.parentElement;
		if (n.data.trim() && e.checkVisibility() && !e.closest('[aria-hidden=true], select, .hear')) said.push(n.data.trim());
	}
	for (const e of document.querySelectorAll('input[type=text], textarea')) if (e.checkVisibility()) said.push((e.ariaLabel || e.labels[0]?.textContent || e.id) + ':\n' + e.value);
	return said.join('\n') + '\n' })()`

// TestPictures holds the pictures of docs to the page: if what it says has changed, they are
// to be made anew. Run "go test -run Pictures ./tester -update" in this module.
func TestPictures(t *testing.T) {
	link := start(t, "-A", "GPTBot").Link
	for _, picture := range []struct {
		name  string
		view  view
		print bool
	}{
		{"tester", wide, false}, {"tester-dark", view{1400, "dark"}, false}, {"tester-phone", phone, false}, {"tester-print", view{800, "light"}, true},
	} {
		t.Run(picture.name, func(t *testing.T) {
			p := open(t, picture.view, link)
			p.answered(func() { p.write("#text", scene) })
			p.answered(func() { p.write("#urls", sceneURLs) })
			p.answered(func() { p.click("#verdicts [role=option]:nth-child(2)") })
			p.value(`(document.activeElement.blur(), scrollTo(0, 0), document.querySelector('#urls').scrollTop = 0, new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0)))))`)
			if picture.print {
				p.print()
				p.value(`([...document.querySelectorAll('#report .facts > div')].find(row => row.textContent.startsWith('printed')).remove(), 0)`)
			}
			golden := "testdata/" + picture.name + ".txt"
			said := value[string](p, shown)
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(said), 0o644))
				require.NoError(t, os.WriteFile("../../../../docs/"+picture.name+".png", p.picture(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), said, "the picture is no longer true")
			kept, err := os.ReadFile("../../../../docs/" + picture.name + ".png")
			require.NoError(t, err)
			assert.Less(t, len(kept), 200_000, "octets of the picture")
		})
	}
}

// picture returns the page as PNG.
func (p *page) picture() []byte {
	height := value[float64](p, `document.documentElement.scrollHeight`)
	width := value[float64](p, `innerWidth`)
	shot := cdppage.CaptureScreenshotParams{CaptureBeyondViewport: new(true), Clip: &cdppage.Viewport{Width: width, Height: height, Scale: 1}}
	taken, err := chromedp.Call(p.ctx, cdppage.CaptureScreenshot, shot)
	require.NoError(p.t, err)
	return smaller(p.t, taken.Data)
}

// smaller returns a PNG with the 256 colours that are most frequent; each other becomes the
// one that is most like it. The eye sees no difference: the rest is the edges of letters.
func smaller(t testing.TB, picture []byte) []byte {
	full, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	count := make(map[color.Color]int)
	area := full.Bounds()
	for y := range area.Dy() {
		for x := range area.Dx() {
			count[full.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	few := image.NewPaletted(area, colours[:min(len(colours), 256)])
	index := make(map[color.Color]uint8)
	for i, c := range colours {
		index[c] = uint8(i)
		if i >= len(few.Palette) {
			index[c] = uint8(few.Palette.Index(c))
		}
	}
	for y := range area.Dy() {
		for x := range area.Dx() {
			few.SetColorIndex(x, y, index[full.At(x, y)])
		}
	}
	var b bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, few))
	return b.Bytes()
}

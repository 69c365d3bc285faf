package resources

import (
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const at = "https://example.com/folder/page"

// read reads a page, and returns what it loads.
func read(t testing.TB, page string) (*Page, []string) {
	u, err := url.Parse(at)
	require.NoError(t, err)
	p, err := Read(strings.NewReader(page), u, "text/html; charset=utf-8")
	require.NoError(t, err)
	var all []string
	for _, r := range p.Resources {
		all = append(all, fmt.Sprint(r.Kind, " ", r.URL))
	}
	return p, all
}

func TestRead(t *testing.T) {
	for page, want := range map[string][]string{
		"": nil,
		`<script src=/a.js></script><script>var x = "<img src=no>"</script>`:                      {"script https://example.com/a.js"},
		`<SCRIPT SRC=" b.js#x "></SCRIPT><script src=b.js>`:                                       {"script https://example.com/folder/b.js"},
		`<img src=//cdn.example/i.png><input type=image src=in.png><input src=no.png>`:            {"image https://cdn.example/i.png", "image https://example.com/folder/in.png"},
		`<img src="a&amp;b.png?x=1&y=2">`:                                                         {"image https://example.com/folder/a&b.png?x=1&y=2"},
		`<img srcset="/1.png, /2.png 2x,/3.png 3x" src=/0.png>`:                                   {"image https://example.com/1.png", "image https://example.com/2.png", "image https://example.com/3.png", "image https://example.com/0.png"},
		`<picture><source srcset="/a,b.webp 1x, data:image/png;base64,AA== 2x"></picture>`:        {"image https://example.com/a,b.webp"},
		`<video src=v.mp4 poster=p.jpg><source src=w.mp4><track src=t.vtt></video>`:               {"media https://example.com/folder/v.mp4", "image https://example.com/folder/p.jpg", "media https://example.com/folder/w.mp4", "media https://example.com/folder/t.vtt"},
		`<link rel="Preload StyleSheet" href=/s.css><link rel=canonical href=/no>`:                {"style https://example.com/s.css"},
		`<link rel=preload as=font href=/f.woff2><link rel=preload as=image imagesrcset="/i 2x">`: {"font https://example.com/f.woff2", "image https://example.com/i"},
		`<link rel=modulepreload href=/m.js><link rel="shortcut icon" href=/i.ico><link rel=manifest href=/m.json>`: {
			"script https://example.com/m.js", "image https://example.com/i.ico", "data https://example.com/m.json"},
		`<iframe src=/f></iframe><object data=/o></object><embed src=/e>`:                                                          {"frame https://example.com/f", "object https://example.com/o", "object https://example.com/e"},
		`<svg><image xlink:href=/i.svg /><use href="/sprite.svg#a"/><use href="#b"/></svg>`:                                        {"image https://example.com/i.svg", "image https://example.com/sprite.svg"},
		`<a href=/no><form action=/no><img data-src=/no>`:                                                                          nil,
		`<!-- <img src=no> --><textarea><img src=no></textarea><title><img src=no></title>`:                                        nil,
		`<noscript><img src=/no></noscript><template><img src=/no></template><img src=/i>`:                                         {"image https://example.com/i"},
		`<img src=data:image/png;base64,AA><img src="javascript:alert(1)"><img src=about:blank><img src=blob:x><img src=mailto:x>`: nil,
		`<img src="java&#10;script:x"><img src="HTTPS://EXAMPLE.com/i">`:                                                           {"image https://EXAMPLE.com/i"},
		`<img src="https://user:secret@example.com/i">`:                                                                            {"image https://example.com/i"},
		`<base href=/b/><base href=/c/><img src=i>`:                                                                                {"image https://example.com/b/i"},
		`<base target=_top><base href=https://cdn.example/x/><img src=i>`:                                                          {"image https://cdn.example/x/i"},
		`<base href=javascript:x><img src=i>`:                                                                                      {"image https://example.com/folder/i"},
		`<base href=data:text/html,x><base href=/no/><img src=i>`:                                                                  {"image https://example.com/folder/i"},
		`<img src="/a` + "\n\t" + `b.png">`:                                                                                        {"image https://example.com/ab.png"},
		`<img src=/x/i src=/no>`:                                                                                                   {"image https://example.com/x/i"},
		`<style>@import "a.css"; @import url('b.css') print; @namespace url(no); @font-face { font-family: x; src: url(f.woff) format("no"), url("g.woff") } p { background: url( c.png ) }</style>`: {
			"style https://example.com/folder/a.css", "style https://example.com/folder/b.css", "font https://example.com/folder/f.woff", "font https://example.com/folder/g.woff", "image https://example.com/folder/c.png"},
		`<style>/* url(no) */ p { content: "url(no)"; background: url(#no) url(data:x) url(a\20 b\.png) }</style>`: {"image https://example.com/folder/a%20b.png"},
		`<img srcset="/a (1,2)), /b">`:     {"image https://example.com/a", "image https://example.com/b"},
		`<img srcset="/a ),/b ((,),),/c">`: {"image https://example.com/a", "image https://example.com/b", "image https://example.com/c"},
		`<audio src=/a></audio><frame src=/f><body background=/b><table background=/t><td background=/d>`: {
			"media https://example.com/a", "frame https://example.com/f", "image https://example.com/b", "image https://example.com/t", "image https://example.com/d"},
		`<link rel=preload as=worker href=/1><link rel=preload as=" STYLE" href=/2><link rel=preload as=document href=/3><link rel=preload as=track href=/4><link rel=preload as=fetch href=/5>`: {
			"script https://example.com/1", "style https://example.com/2", "frame https://example.com/3", "media https://example.com/4", "data https://example.com/5"},
		`<link rel=apple-touch-icon href=/1><link rel=mask-icon href=/2><link rel=icon>`:              {"image https://example.com/1", "image https://example.com/2"},
		`<picture><p></p><source src=/no srcset=/a></picture><source src=/b>`:                         {"image https://example.com/a", "media https://example.com/b"},
		`<noscript><p></p><img src=/no></noscript><template><style>p{background:url(no)}</style>`:     nil,
		`<style>p{}</style>url(no)<style></style>`:                                                    nil,
		`<style>@import url(/a) print; @import "/b" "no"; p { content: "no" } @charset "no";</style>`: {"style https://example.com/a", "style https://example.com/b"},
		`<style>@font-face{src:url(/f)}p{background:url(/i)}@media x{p{background:url(/j)}}</style>`: {
			"font https://example.com/f", "image https://example.com/i", "image https://example.com/j"},
		`<style>p{background:url(/\0000611\g)}p{background:url("/x\`: {"image https://example.com/a1g", "image https://example.com/x"},
		`<p style="background:url(&quot;/q.png&quot;)">`:             {"image https://example.com/q.png"},
	} {
		p, got := read(t, page)
		assert.Equal(t, want, got, page)
		assert.Zero(t, p.Left+p.Broken, page)
		assert.False(t, p.Cut)
	}
}

// What is no URL is counted.
func TestBroken(t *testing.T) {
	p, got := read(t, `<img src="http://a b/"><img src="http://[::1"><img src="%zz"><img src="https:///x"><img src="/`+strings.Repeat("x", maxURL)+`"><img src="/`+strings.Repeat("x", maxURL-1)+`"><img src=/i>`)
	assert.Equal(t, []string{"image https://example.com/i"}, got)
	assert.Equal(t, 6, p.Broken)
}

func TestMost(t *testing.T) {
	var page strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&page, "<img src=/%d>", i)
	}
	p, got := read(t, page.String())
	assert.Len(t, got, Most)
	assert.Equal(t, 100_000-Most, p.Left)
	p, _ = read(t, page.String()+"<style>p{background:url(/a)}</style><style>p{}</style>")
	assert.Equal(t, 100_001-Most, p.Left, "a style that names something is a reference")
	p, _ = read(t, strings.Repeat("<img src=/x>", mostLooked+5))
	assert.Equal(t, 5, p.Left)

	page.Reset()
	for i := range MostOrigins + 5 {
		fmt.Fprintf(&page, "<img src=//h%d.example/>", i)
	}
	p, got = read(t, page.String()+"<img src=//h0.example/more>")
	assert.Len(t, got, MostOrigins+1)
	assert.Equal(t, 5, p.Left)
}

// A long page is read as far as its bound, and it is said.
func TestCut(t *testing.T) {
	p, got := read(t, "<img src=/first>"+strings.Repeat("<p>some text", MaxPage/12)+"<img src=/last>")
	assert.Equal(t, []string{"image https://example.com/first"}, got)
	assert.True(t, p.Cut)
}

// What a page costs in memory is bounded, whatever is in it: by its size, and by how many
// references are looked at.
func TestHostile(t *testing.T) {
	const size = 1 << 20
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, page := range map[string]string{
		"deep elements":     fill("<div>"),
		"bases":             fill("<base href=a/>"),
		"a long base":       "<base href=/" + strings.Repeat("a", maxURL-100) + "/>" + strings.Repeat("<img src=x>", 50_000),
		"a long attribute":  `<img src="` + fill("a"),
		"attributes":        "<img " + fill("a=b "),
		"attributes alike":  "<img " + fill("src=b "),
		"a srcset":          `<img srcset="` + fill("a 1x,"),
		"open parentheses":  `<img srcset="` + fill("a (,"),
		"commas":            `<img srcset="` + fill(","),
		"a style":           "<style>" + fill("p{background:url(a)}"),
		"open urls":         "<style>" + fill("url("),
		"open strings":      "<style>" + fill("@import '"),
		"backslashes":       "<style>p{background:url(" + fill(`\`),
		"escapes":           `<style>@import "` + fill(`\110000 `),
		"inline styles":     fill(`<p style="background:url(a)">`),
		"comments":          fill("<!--"),
		"open tags":         fill("<"),
		"NUL":               fill("\x00"),
		"no UTF-8":          fill("\xff<img src=\xff>"),
		"an open noscript":  "<noscript>" + fill("<img src=a>"),
		"an open script":    "<script>" + fill("<script>"),
		"data":              `<img src="data:` + fill("a") + `">`,
		"styles in scripts": fill("<style><script>"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, _ := read(t, page)
		runtime.ReadMemStats(&after)
		assert.LessOrEqual(t, len(p.Resources), Most, name)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(60*size+5*mostLooked*maxURL), name)
		for _, r := range p.Resources {
			assert.LessOrEqual(t, len(r.URL.String()), maxURL, name)
		}
	}
}

func TestReadFails(t *testing.T) {
	u, err := url.Parse(at)
	require.NoError(t, err)
	errDisk := errors.New("disk")
	_, err = Read(iotest.ErrReader(errDisk), u, "")
	assert.ErrorIs(t, err, errDisk)
}

// The encoding is that of the header, or what the page says.
func TestEncoding(t *testing.T) {
	u, err := url.Parse(at)
	require.NoError(t, err)
	for contentType, page := range map[string]string{
		"text/html; charset=iso-8859-1": "<img src=/\xfc>",
		"text/html":                     "<meta charset=windows-1252><img src=/\xfc>",
		"text/html; charset=utf-16le":   "<\x00i\x00m\x00g\x00 \x00s\x00r\x00c\x00=\x00/\x00\xfc\x00>\x00",
		"":                              "\uFEFF<img src=/\u00fc>",
	} {
		p, err := Read(strings.NewReader(page), u, contentType)
		require.NoError(t, err)
		require.Len(t, p.Resources, 1, contentType)
		assert.Equal(t, "https://example.com/%C3%BC", p.Resources[0].URL.String())
	}
}

// Whatever a page has, its resources are URLs that can be asked for, each once.
func FuzzRead(f *testing.F) {
	f.Add(`<base href="//b"><img srcset="a, b 2x"><style>@import "c";</style>`)
	f.Fuzz(func(t *testing.T, page string) {
		u, err := url.Parse(at)
		require.NoError(t, err)
		p, err := Read(strings.NewReader(page), u, "text/html; charset=utf-8")
		require.NoError(t, err)
		seen := make(map[string]bool)
		for _, r := range p.Resources {
			again, err := url.Parse(r.URL.String())
			require.NoError(t, err)
			assert.Contains(t, []string{"http", "https"}, again.Scheme)
			assert.NotEmpty(t, again.Host)
			assert.Nil(t, again.User)
			assert.False(t, seen[again.String()])
			seen[again.String()] = true
		}
	})
}

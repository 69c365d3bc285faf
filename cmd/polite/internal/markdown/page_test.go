package markdown_test

import (
	"fmt"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/markdown"
	"github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func base() *url.URL { return &url.URL{Scheme: "https", Host: "a.example", Path: "/docs/x"} }

func TestText(t *testing.T) {
	for _, test := range []struct{ name, page, want string }{
		{"nothing", "", ""},
		{"text", "hello", "hello"},
		{"headings", "<h1>One</h1><h2>Two</h2><p>x", "# One\n\n## Two\n\nx"},
		{"paragraphs", "<p>a\n  b<p>c", "a b\n\nc"},
		{"divisions", "<div>a</div><section>b</section>", "a\n\nb"},
		{"emphasis", "<p><b>a</b> <i>b</i> <code>c*d</code>", "**a** *b* `c*d`"},
		{"links", "<a href='../y?a=1&amp;b'>y</a>", "[y](https://a.example/y?a=1&b)"},
		{"a base", "<base href=/z/><a href=y>y</a>", "[y](https://a.example/z/y)"},
		{"links that act", "<a href='javascript:x()'>a</a> <a href='data:text/html,x'>b</a>", "a b"},
		{"lists", "<ul><li>a<li>b</ul><ol><li>c</ol>", "- a\n- b\n\n<!--THE END-->\n\n1. c"},
		{"code", "<pre><code>if a &lt; b {\n\tx\n}</code></pre>", "```\nif a < b {\n\tx\n}\n```"},
		{"what HTML escapes", "<p>a &lt; b &amp; c &amp;lt; &quot;d&quot;", `a < b & c &lt; "d"`},
		{"nothing is escaped", "<p>1. a_b *c* [d] #e", "1. a_b *c* [d] #e"},
		{"a table", "<table><tr><th>a<th>b<tr><td>1<td>2 | 3</table>", "| a | b |\n|---|---|\n| 1 | 2 \\| 3 |"},
		{"wide cells", "<table><tr><td colspan=2>a<td>b<tr><td>1<td>2<td>3</table>", "|  |  |  |\n|---|---|---|\n| a |  | b |\n| 1 | 2 | 3 |"},
		{"high cells", "<table><tr><td rowspan=2>a<td>b<td rowspan=3>c<tr><td>2<tr><td>3<td>4<tr><td>5<td>6<td>7</table>", "|  |  |  |\n|---|---|---|\n| a | b | c |\n|  | 2 |  |\n| 3 | 4 |  |\n| 5 | 6 | 7 |"},
		{"a high cell beside a short row", "<table><tr><td>a<td rowspan=3>b<td>c<tr><td>1<tr><td>2<td>3</table>", "|  |  |  |\n|---|---|---|\n| a | b | c |\n| 1 |  |  |\n| 2 |  | 3 |"},
		{"a cell of two rows and columns", "<table><tr><td>a<td rowspan=2 colspan=2>b<td>c<tr><td>1<td>2</table>", "|  |  |  |  |\n|---|---|---|---|\n| a | b |  | c |\n| 1 |  |  | 2 |"},
		{"a wide cell and a table in it", "<table><tr><td colspan=2>a<table><tr><td>x<td>y</table><td>b<tr><td>1<td>2<td>3</table>", "|  |  |  |\n|---|---|---|\n| axy |  | b |\n| 1 | 2 | 3 |"},
		{"high and low", "<p>10<sup>23</sup>, H<sub>2</sub>O", "10<sup>23</sup>, H<sub>2</sub>O"},
		{"what holds no more", "<p><del>10</del> <ins>8</ins> <s>x</s> <strike>y</strike>", "~~10~~ 8 ~~x~~ ~~y~~"},
		{"quotations", "<q>a</q>", `"a"`},
		{"the numbers of a list", "<ol start=3><li>a<li>b</ol>", "3. a\n4. b"},
		{"a number that is none", "<ol start=x><li>a</ol>", "1. a"},
		{"numbers of items", "<ol><li>a<li value=5>b<li><p>c<p>d<ol><li>e</ol></ol>", "- 1. a\n- 5. b\n- 6. c\n  \n  d\n  \n  1. e"},
		{"numbers of items that count up", "<ol start=7><li value=4>a<li value=x>b<li value=6>c</ol>", "4. a\n5. b\n6. c"},
		{"a list that counts down", "<ol reversed><li>a<li>b<li value=9>c<li>d</ol>", "- 4. a\n- 3. b\n- 9. c\n- 8. d"},
		{"a list that counts down from a number", "<ol start=0 reversed><li>a<li>b</ol>", "- 0. a\n- -1. b"},
		{"a list that counts down from one", "<ol reversed><li>a</ol>", "1. a"},
		{"greater than", "<p>a &lt;b&gt; -> c", "a <b> -> c"},
		{"a shadow root", "<x-a><template shadowrootmode=open><p>a</p><template>x</template></template>b</x-a>", "a\n\nb"},
		{"a table in a table", "<table><tr><td>a<table><tr><td>b</table><td>c</table>", "|  |  |\n|---|---|\n| ab | c |"},
		{"images are their texts", "<p>see <img src=/secret?leak=1 alt='a  cat'>", "see (image: a cat)"},
		{"what is not seen", "<script>x</script><style>x</style><template>x</template><svg><text>x</text></svg>a<!-- x -->", "a"},
		{"what is hidden", "<p hidden>x</p><p style='DISPLAY : none'>x</p><div aria-hidden=true><div>x</div>x</div><p style='visibility:hidden'>x</p>a", "a"},
		{"menus", "<nav>x</nav><p>a</p><aside>x</aside><footer>x</footer>", "a"},
		{"a menu alone", "<nav><a href=/y>y</a></nav>", "[y](https://a.example/y)"},
		{"the main part", "<p>x</p><main><p>a</p></main><p>y</p>", "a"},
		{"an empty main part", "<p>a</p><main></main>", "a"},
		{"elements that nobody knows", "<x-card>a</x-card><blink>b</blink>", "ab"},
		{"ends without beginnings", "</div></p></main>a</table></b>", "a"},
		{"broken", "<p <b>a</p", "a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, markdown.Of(test.page, base(), markdown.Reading{}).Text)
		})
	}
}

func TestWhole(t *testing.T) {
	const page = "<title>A\n page</title><meta name=robots content=noai><meta charset=utf-8><nav>menu</nav><main>main</main>"
	main := markdown.Of(page, base(), markdown.Reading{})
	assert.Equal(t, markdown.Page{Title: "A page", Text: "main", Left: 4, Meta: []usage.Meta{{Name: "robots", Content: "noai"}}}, main)
	whole := markdown.Of(page, base(), markdown.Reading{Whole: true})
	assert.Equal(t, "menu\n\nmain", whole.Text)
	assert.Zero(t, whole.Left)
}

// How much was left out is told: of what a reader may miss, and not of programs.
func TestLeft(t *testing.T) {
	for _, test := range []struct {
		page        string
		left        int
		text, whole string
	}{
		{"<p>a", 0, "a", "a"},
		{"<p>a<p hidden>b  <b>c</b>", 2, "a", "a\n\nb **c**"},
		{"<p>a<div style='visibility:hidden'>bc</div>", 2, "a", "a\n\nbc"},
		{"<p>a<aside>b<script>x</script></aside>", 1, "a", "a\n\nb"},
		{"<header>bc</header><main>a</main>", 2, "a", "bc\n\na"},
		{"<p>a<select><option>b</select><math><mi>c</math><textarea>d</textarea>", 3, "a", "abcd"},
		{"<p>a<script>x</script><style>x</style><template>x</template><iframe>x</iframe><!-- x -->", 0, "a", "a"},
		{"<body style='display:none'><p>a", 0, "a", "a"},
	} {
		p := markdown.Of(test.page, base(), markdown.Reading{})
		assert.Equal(t, test.text, p.Text, test.page)
		assert.Equal(t, test.left, p.Left, test.page)
		p = markdown.Of(test.page, base(), markdown.Reading{Whole: true})
		assert.Equal(t, test.whole, p.Text, test.page)
		assert.Zero(t, p.Left, test.page)
	}
}

// In XHTML, an element may end where it begins, and none has content that is no markup.
func TestXHTML(t *testing.T) {
	for page, want := range map[string]string{
		"<head><title>t</title><script src='x'/></head><body><p>a <b/>b</p></body>": "a b",
		"<title/><p>a</p>": "a",
		"<p hidden='hidden'/>a<div hidden='hidden'>x</div>":   "a",
		"<textarea/><p>a</p>":                                 "a",
		"<p><![CDATA[a < b]]></p>":                            "a < b",
		"<script>//<![CDATA[\nif (a < b) x();//]]></script>a": "a",
		"<main/>a":                              "a",
		"<script><!-- </script> -->b</script>a": "a",
	} {
		assert.Equal(t, want, markdown.Of(page, base(), markdown.Reading{XML: true}).Text, page)
	}
}

// repeated returns text as often as it fits into a page of the largest size.
func repeated(text string) string { return strings.Repeat(text, (5<<20)/len(text)) }

// What a page does to the parser and to the conversion is bounded: in what they allocate, and
// so in time, and in what comes out.
func TestHostile(t *testing.T) {
	const mostAllocated, mostText = 400 << 20, 4 << 20
	bold := func(i int) string { return fmt.Sprintf("<b a%d>", i) }
	var differing strings.Builder
	for i := range 4000 {
		differing.WriteString(bold(i))
	}
	pages := map[string]string{
		"nested divisions":          repeated("<div>"),
		"nested paragraphs":         repeated("<p><b><i>"),
		"emphasis that is reopened": "<p>" + differing.String() + "</p>" + repeated("<p>x</p>"),
		"links that are reopened":   "<p>" + strings.Repeat("<a href=/x>", 4000) + "</p>" + repeated("<p>x</p>"),
		"nested lists":              repeated("<ul><li>"),
		"quotations in quotations":  strings.Repeat("<blockquote><ul><li><ol><li><div>", 500) + repeated("<br>x"),
		"rows":                      "<table>" + repeated("<tr><td>a<td>b</tr>"),
		"a wide cell":               "<table><tr><td>" + strings.Repeat("x", 1<<19) + "</tr>" + repeated("<tr><td>a</tr>"),
		"a long row":                "<table><tr>" + strings.Repeat("<td>", 1<<19) + "</tr>" + repeated("<tr><td>a</tr>"),
		"nested tables":             repeated("<table><tr><td>"),
		"spanning cells":            "<table>" + repeated("<tr><td colspan=1000 rowspan=1000>a</tr>"),
		"text beside cells":         "<table>" + repeated("<b>x"),
		"links":                     repeated("<a href=/" + strings.Repeat("x", 1900) + ">y</a>"),
		"marks":                     repeated("*_[]`#\\"),
		"backticks":                 "<pre><code>" + repeated("`"),
		"attributes":                "<p " + repeated("a=b ") + ">x",
		"less than":                 repeated("<"),
		"references":                repeated("&"),
		"a comment without an end":  repeated("<!--"),
		"a title without an end":    "<title>" + repeated("x"),
		"metas":                     repeated("<meta name=robots content=x>"),
		"nothing but menus":         repeated("<nav>"),
		"main parts":                repeated("<main></main>"),
	}
	for i, name := range slices.Sorted(maps.Keys(pages)) {
		if testing.Short() && i%3 != 0 {
			continue // each takes seconds
		}
		page := pages[name]
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p := markdown.Of(page, base(), markdown.Reading{})
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(mostAllocated))
			assert.LessOrEqual(t, len(p.Text), mostText)
			assert.LessOrEqual(t, len(p.Title), 300)
			assert.LessOrEqual(t, len(p.Meta), 100)
		})
	}
}

// What is beyond a bound is left out, and no more.
func TestBounds(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	text := func(page string) string { return markdown.Of(page, base(), markdown.Reading{}).Text }
	for cells, kept := range map[int]int{47: 47, 48: 48, 49: 48} {
		line, _, _ := strings.Cut(text("<table><tr>"+strings.Repeat("<th>a", cells)), "\n")
		assert.Equal(t, kept+1, strings.Count(line, "|"), cells)
	}
	assert.Equal(t, "> > > > > > a", text(strings.Repeat("<blockquote>", 6)+"a"))
	assert.Equal(t, "> > > > > > a", text(strings.Repeat("<blockquote>", 7)+"a"))
	assert.Equal(t, "[a](https://a.example/"+long(1999)+")", text("<a href=/"+long(1999)+">a</a>"))
	assert.Equal(t, "a", text("<a href=/"+long(2000)+">a</a>"))
	assert.Equal(t, "1000000. a", text("<ol start=1000000><li>a</ol>"))
	assert.Equal(t, "1. a", text("<ol start=1000001><li>a</ol>"))
	assert.Equal(t, "-1000000. a", text("<ol start=-1000000><li>a</ol>"))
	assert.Equal(t, "1. a", text("<ol start=-1000001><li>a</ol>"))

	var frames, metas strings.Builder
	for i := range 101 {
		fmt.Fprintf(&frames, "<iframe src=/%d></iframe>", i)
		fmt.Fprintf(&metas, "<meta name=a content=%d>", i)
	}
	frame := "<iframe src=/" + long(2000) + "></iframe>"
	meta := func(n int) string { return "<meta name=a content=" + long(n) + ">" }
	p := markdown.Of(frame+frames.String()+meta(4000)+meta(3999)+metas.String()+"<title>"+long(300)+"y</title>", base(), markdown.Reading{})
	require.Len(t, p.Elsewhere, 20)
	assert.Equal(t, "https://a.example/19", p.Elsewhere[19].URL)
	require.Len(t, p.Meta, 100)
	assert.Len(t, p.Meta[0].Content, 3999)
	assert.Equal(t, "98", p.Meta[99].Content)
	assert.Equal(t, long(300), p.Title)
	assert.False(t, markdown.Of(strings.Repeat("<br>", 40_000), base(), markdown.Reading{}).Cut)
	assert.True(t, markdown.Of(strings.Repeat("<br>", 40_001), base(), markdown.Reading{}).Cut)
	most := strings.Repeat(long(1<<10)+"<!-- -->", 1<<10)
	assert.False(t, markdown.Of(most, base(), markdown.Reading{}).Cut)
	assert.True(t, markdown.Of(most+"x", base(), markdown.Reading{}).Cut)
	assert.True(t, markdown.Of("<script>"+long(1<<20)+"</script>a", base(), markdown.Reading{}).Cut, "what is longer at a piece ends the page")
}

// What is too long is cut, and says so.
func TestCut(t *testing.T) {
	p := markdown.Of(repeated("<p>hello</p>"), base(), markdown.Reading{})
	assert.True(t, p.Cut)
	assert.True(t, strings.HasPrefix(p.Text, "hello\n\nhello"))
	assert.False(t, markdown.Of("<p>hello", base(), markdown.Reading{}).Cut)
}

// A page has no title beyond the bound, no link that acts, and no more text than it may have,
// whatever it is.
func FuzzOf(f *testing.F) {
	for _, page := range []string{"<p>a", "<table><tr><td>", "<a href='javascript:x'>y</a>", "<pre>x</pre>", "<main><nav>", "<title>x", "<b><p></b>x"} {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, page string) {
		for _, r := range []markdown.Reading{{}, {Whole: true}, {XML: true}} {
			p := markdown.Of(page, base(), r)
			if len(p.Title) > 300 || len(p.Text) > 4<<20 || len(page) > 0 && len(p.Text) > 400*len(page)+100 {
				t.Fatalf("%d octets of %d", len(p.Text), len(page))
			}
		}
	})
}

// Where a page leads a reader who follows no link is noted, and noscript is read, since no script runs.
func TestElsewhere(t *testing.T) {
	base, err := url.Parse("https://a.example/dir/page")
	require.NoError(t, err)
	for name, test := range map[string]struct {
		page string
		want []markdown.Reference
		text string
	}{
		"refresh":        {`<meta http-equiv="Refresh" content="0; URL='/b'">x`, []markdown.Reference{{"refresh", "https://a.example/b"}}, "x"},
		"refresh itself": {`<meta http-equiv="refresh" content="30">x`, nil, "x"},
		"frames":         {`<p>x<iframe src="c"></iframe><iframe src="javascript:x"></iframe><frame src=//b.example/d>`, []markdown.Reference{{"frame", "https://a.example/dir/c"}, {"frame", "https://b.example/d"}}, "x"},
		"hidden frame":   {`<nav><iframe src="c"></iframe></nav>x`, []markdown.Reference{{"frame", "https://a.example/dir/c"}}, "x"},
		"markdown":       {`<link rel=alternate type=text/markdown href=/a.md><link rel=alternate type=application/rss+xml href=/f>x`, []markdown.Reference{{"markdown", "https://a.example/a.md"}}, "x"},
		"noscript":       {`<noscript><p>Turn <b>it</b> on <img src=x alt=pixel></noscript>`, nil, "Turn **it** on"},
		"many":           {strings.Repeat("<iframe src=a></iframe>", 100) + "x", []markdown.Reference{{"frame", "https://a.example/dir/a"}}, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			p := markdown.Of(test.page, base, markdown.Reading{})
			assert.Equal(t, test.want, p.Elsewhere)
			assert.Equal(t, test.text, p.Text)
		})
	}
	assert.True(t, markdown.Of("<div id=app></div><script src=x></script>", base, markdown.Reading{}).Scripts)
}

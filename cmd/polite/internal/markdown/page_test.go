package markdown_test

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/markdown"
	"github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
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
		{"a table in a table", "<table><tr><td>a<table><tr><td>b</table><td>c</table>", "|  |  |\n|---|---|\n| ab | c |"},
		{"images are their texts", "<p>see <img src=/secret?leak=1 alt='a  cat'>", "see (image: a cat)"},
		{"what is not seen", "<script>x</script><style>x</style><template>x</template><noscript>x</noscript><svg><text>x</text></svg>a<!-- x -->", "a"},
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
			assert.Equal(t, test.want, markdown.Of(test.page, base(), false).Text)
		})
	}
}

func TestWhole(t *testing.T) {
	const page = "<title>A\n page</title><meta name=robots content=noai><meta charset=utf-8><nav>menu</nav><main>main</main>"
	main := markdown.Of(page, base(), false)
	assert.Equal(t, markdown.Page{Title: "A page", Text: "main", Main: true, Meta: []usage.Meta{{Name: "robots", Content: "noai"}}}, main)
	whole := markdown.Of(page, base(), true)
	assert.Equal(t, "menu\n\nmain", whole.Text)
	assert.False(t, whole.Main)
}

// largest is the size of the largest page. In a short run it is a fifth of it.
func largest() int {
	if testing.Short() {
		return 1 << 20
	}
	return 5 << 20
}

// repeated returns text as often as it fits into a page of the largest size.
func repeated(text string) string { return strings.Repeat(text, largest()/len(text)) }

// What a page does to the parser and to the conversion is bounded: in what they allocate, and
// so in time, and in what comes out.
func TestHostile(t *testing.T) {
	const mostText = 4 << 20
	mostAllocated := 80 * largest()
	bold := func(i int) string { return fmt.Sprintf("<b a%d>", i) }
	var differing strings.Builder
	for i := range 4000 {
		differing.WriteString(bold(i))
	}
	for name, page := range map[string]string{
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
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p := markdown.Of(page, base(), false)
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(mostAllocated))
			assert.LessOrEqual(t, len(p.Text), mostText)
			assert.LessOrEqual(t, len(p.Title), 300)
			assert.LessOrEqual(t, len(p.Meta), 100)
		})
	}
}

// What is too long is cut, and says so.
func TestCut(t *testing.T) {
	p := markdown.Of(repeated("<p>hello</p>"), base(), false)
	assert.True(t, p.Cut)
	assert.True(t, strings.HasPrefix(p.Text, "hello\n\nhello"))
	assert.False(t, markdown.Of("<p>hello", base(), false).Cut)
}

// A page has no title beyond the bound, no link that acts, and no more text than it may have,
// whatever it is.
func FuzzOf(f *testing.F) {
	for _, page := range []string{"<p>a", "<table><tr><td>", "<a href='javascript:x'>y</a>", "<pre>x</pre>", "<main><nav>", "<title>x", "<b><p></b>x"} {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, page string) {
		for _, whole := range []bool{false, true} {
			p := markdown.Of(page, base(), whole)
			if len(p.Title) > 300 || len(p.Text) > 4<<20 || len(page) > 0 && len(p.Text) > 400*len(page)+100 {
				t.Fatalf("%d octets of %d", len(p.Text), len(page))
			}
		}
	})
}

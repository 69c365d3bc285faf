package markdown

import (
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/usage"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The bounds of what is kept of a page.
const (
	mostOctets   = 1 << 20
	mostElements = 40_000
	mostDepth    = 6    // of elements of one name in each other
	mostCells    = 48   // of a row, since the library makes all rows as long as the longest
	longestLink  = 2000 // octets
	longestMeta  = 4000 // octets
	mostMeta     = 100
	longestTitle = 300 // octets
	longestToken = 1 << 20
	mostNumber   = 1_000_000
)

// A cleaner keeps what a reader sees of a page, as simple and well-known HTML.
type cleaner struct {
	Reading
	main  bool // what is in <main> alone is kept
	base  *url.URL
	title strings.Builder
	meta  []usage.Meta
	cut   bool

	elsewhere  []Reference
	scripts    bool
	inNoscript bool

	out      strings.Builder
	elements int
	depth    map[atom.Atom]int
	grid     grid

	hidden      atom.Atom // the element whose content is left out; 0 if there is none
	hiddenDepth int
	last        atom.Atom // the element that the last token begins; 0 if it begins none
	left        int       // characters that were left out, though they are text
	inTitle     bool
}

// clean returns what is kept of a page.
func clean(source string, base *url.URL, r Reading, main bool) *cleaner {
	c := &cleaner{Reading: r, main: main, base: base, depth: make(map[atom.Atom]int)}
	z := newTokens(source, r.XML)
	for !c.full() {
		switch kind := z.next(); kind {
		case html.ErrorToken:
			c.cut = z.Err() != io.EOF
			return c
		case html.TextToken:
			c.text(string(z.Text()))
			c.last = 0
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			c.begin(t)
			if c.last = t.DataAtom; r.XML && kind == html.SelfClosingTagToken {
				c.end(t.DataAtom)
			}
		case html.EndTagToken:
			c.end(z.Token().DataAtom)
			c.last = 0
		}
	}
	c.cut = true
	return c
}

// tokens are those of a page, which is HTML or XHTML.
type tokens struct {
	*html.Tokenizer
	xml bool
}

func newTokens(source string, xml bool) tokens {
	z := html.NewTokenizer(strings.NewReader(source))
	z.SetMaxBuf(longestToken)
	z.AllowCDATA(xml)
	return tokens{z, xml}
}

func (z tokens) next() html.TokenType {
	kind := z.Next()
	if z.xml && (kind == html.StartTagToken || kind == html.SelfClosingTagToken) {
		z.NextIsNotRawText() // in XML, tags in <script> or <title> are tags
	}
	const noscript = "<noscript"
	if raw := z.Raw(); kind == html.StartTagToken && len(raw) > len(noscript) && strings.EqualFold(string(raw[:len(noscript)]), noscript) {
		z.NextIsNotRawText() // no script runs here
	}
	return kind
}

func (c *cleaner) full() bool { return c.out.Len() > mostOctets || c.elements > mostElements }

// shows reports whether what comes now is kept.
func (c *cleaner) shows() bool {
	return c.hidden == 0 && (!c.main || c.depth[atom.Main] > 0)
}

func (c *cleaner) text(text string) {
	switch {
	case c.inTitle:
		c.title.WriteString(text[:min(len(text), longestTitle-c.title.Len())])
	case c.shows():
		c.write(text)
	case !unseen(c.last) && !unseen(c.hidden):
		c.left += utf8.RuneCountInString(strings.Join(strings.Fields(text), " "))
	}
}

// These stand for "<" and ">" in text, since the library would write "&lt;" and "&gt;".
const lessThan, greaterThan = "\uE000", "\uE001"

var (
	aside = strings.NewReplacer("<", lessThan, ">", greaterThan)
	back  = strings.NewReplacer(lessThan, "<", greaterThan, ">")
)

// write keeps text.
func (c *cleaner) write(text string) {
	if c.depth[atom.Pre] == 0 && (strings.Contains(text, "  ") || strings.ContainsAny(text, "\t\r\n\f")) {
		text = space.ReplaceAllString(text, " ")
	}
	if c.depth[atom.Table] > 0 {
		text = strings.ReplaceAll(text, "|", `\|`) // a "|" ends a cell
	}
	c.out.WriteString(html.EscapeString(aside.Replace(text)))
}

// space matches a run of white space, which a reader sees as one space.
var space = regexp.MustCompile("[ \t\r\n\f]+")

func (c *cleaner) begin(t html.Token) {
	c.refer(t)
	switch name := t.DataAtom; {
	case c.hidden != 0:
		if name == c.hidden {
			c.hiddenDepth++
		}
	case name == atom.Noscript:
		c.inNoscript = true
	case name == atom.Title:
		c.inTitle = c.title.Len() == 0
	case name == atom.Meta:
		c.takeMeta(t)
	case name == atom.Base && attribute(t, "href") != "":
		c.rebase(attribute(t, "href"))
	case isVoid(name):
		c.void(t)
	case c.hides(t):
		c.hidden, c.hiddenDepth = name, 1
	default:
		c.open(t)
	}
}

// hides reports whether a reader sees nothing of an element, or nothing that is asked for. A
// template with a shadow root is seen.
func (c *cleaner) hides(t html.Token) bool {
	switch {
	case unseen(t.DataAtom):
		return t.DataAtom != atom.Template || !has(t, "shadowrootmode")
	case c.Whole:
		return false
	case isExtra(t.DataAtom):
		return true
	}
	style := strings.ToLower(strings.ReplaceAll(attribute(t, "style"), " ", ""))
	return has(t, "hidden") || attribute(t, "aria-hidden") == "true" ||
		strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

func (c *cleaner) end(name atom.Atom) {
	switch {
	case name == atom.Title:
		c.inTitle = false
	case name == atom.Noscript:
		c.inNoscript = false
	case c.hidden != 0:
		if name == c.hidden {
			if c.hiddenDepth--; c.hiddenDepth == 0 {
				c.hidden = 0
			}
		}
	default:
		c.close(name)
	}
}

// open keeps the beginning of an element, unless it is unknown or too deep.
func (c *cleaner) open(t html.Token) {
	name, kept := keptAs(t.DataAtom)
	if !kept || !c.shows() && name != atom.Main {
		return
	}
	attributes := ""
	switch name {
	case atom.A:
		if attributes = c.link(t); attributes == "" {
			return
		}
	case atom.Ol, atom.Li:
		for _, a := range t.Attr {
			if _, err := strconv.Atoi(a.Val); a.Key == "reversed" || err == nil && (a.Key == "start" || a.Key == "value") {
				attributes += fmt.Sprintf(` %s="%d"`, a.Key, number(t, a.Key, 1))
			}
		}
	case atom.Table, atom.Tr, atom.Td, atom.Th:
		c.arrange(t)
	}
	c.depth[name]++
	c.keep(name, "<"+name.String()+attributes+">")
}

// arrange does what the beginning of a part of a table asks for. In a table in a table, it does nothing.
func (c *cleaner) arrange(t html.Token) {
	switch table := c.depth[atom.Table]; {
	case t.DataAtom == atom.Table && table == 0:
		c.grid = grid{}
	case table > 1:
	case t.DataAtom == atom.Tr:
		c.grid.row()
	case t.DataAtom != atom.Table:
		empty := c.grid.place(number(t, "colspan", 1), number(t, "rowspan", 1))
		c.elements += empty
		c.out.WriteString(strings.Repeat("<td></td>", empty))
		c.grid.cells++
	}
}

// keep keeps a tag, or the mark that stands for it.
func (c *cleaner) keep(name atom.Atom, tag string) {
	mark, marked := marks[name]
	switch {
	case !c.fits(name):
	case marked && strings.HasPrefix(tag, "</"):
		c.write(mark.end)
	case marked:
		c.write(mark.begin)
	default:
		c.elements++
		c.out.WriteString(tag)
	}
}

// close keeps the end of an element whose beginning is kept.
func (c *cleaner) close(element atom.Atom) {
	name, kept := keptAs(element)
	if !kept || c.depth[name] == 0 {
		return
	}
	c.keep(name, "</"+name.String()+">")
	c.depth[name]--
}

// fits reports whether an element that has just begun is kept. Of a table in a table, only
// the text is.
func (c *cleaner) fits(name atom.Atom) bool {
	switch name {
	case atom.Table, atom.Thead, atom.Tbody, atom.Tr:
		return c.depth[atom.Table] <= 1
	case atom.Td, atom.Th:
		return c.depth[atom.Table] <= 1 && c.grid.cells <= mostCells
	case atom.P, atom.Li, atom.Dt, atom.Dd:
		return true // their ends are often left out
	default:
		return c.depth[name] <= mostDepth
	}
}

// link returns the href of a link as an attribute. It is "" if the link leads to no page.
func (c *cleaner) link(t html.Token) string {
	href := attribute(t, "href")
	if href == "" || len(href) > longestLink {
		return ""
	}
	u, err := c.base.Parse(strings.TrimSpace(href))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return ` href="` + html.EscapeString(u.String()) + `"`
}

// void keeps an element that has no content. An image is its text: where it is would let a
// page lead whoever shows the text to fetch it.
func (c *cleaner) void(t html.Token) {
	if !c.shows() {
		return
	}
	switch alt := attribute(t, "alt"); {
	case t.DataAtom == atom.Br || t.DataAtom == atom.Hr:
		c.elements++
		c.out.WriteString("<" + t.DataAtom.String() + ">")
	case t.DataAtom == atom.Img && !c.inNoscript && strings.TrimSpace(alt) != "":
		c.write("(image: " + strings.TrimSpace(alt) + ")")
	}
}

// refer notes where an element leads a reader who follows no link, and whether it is a script.
func (c *cleaner) refer(t html.Token) {
	switch t.DataAtom {
	case atom.Script:
		c.scripts = true
	case atom.Meta:
		if strings.EqualFold(attribute(t, "http-equiv"), "refresh") {
			_, to, _ := strings.Cut(attribute(t, "content"), ";")
			if name, url, ok := strings.Cut(to, "="); ok && strings.EqualFold(strings.TrimSpace(name), "url") {
				to = url
			}
			c.lead("refresh", strings.Trim(strings.TrimSpace(to), `"'`))
		}
	case atom.Iframe, atom.Frame:
		c.lead("frame", attribute(t, "src"))
	case atom.Link:
		if strings.EqualFold(attribute(t, "rel"), "alternate") && strings.EqualFold(attribute(t, "type"), "text/markdown") {
			c.lead("markdown", attribute(t, "href"))
		}
	}
}

// mostReferences is how many are noted.
const mostReferences = 20

// lead notes that a page leads somewhere else.
func (c *cleaner) lead(kind, to string) {
	if to == "" || len(to) > longestLink || len(c.elsewhere) == mostReferences {
		return
	}
	if u, err := c.base.Parse(to); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		if r := (Reference{kind, u.String()}); !slices.Contains(c.elsewhere, r) {
			c.elsewhere = append(c.elsewhere, r)
		}
	}
}

func (c *cleaner) takeMeta(t html.Token) {
	m := usage.Meta{Name: attribute(t, "name"), Content: attribute(t, "content")}
	if m.Name != "" && len(m.Name)+len(m.Content) <= longestMeta && len(c.meta) < mostMeta {
		c.meta = append(c.meta, m)
	}
}

func (c *cleaner) rebase(href string) {
	if u, err := c.base.Parse(href); err == nil && len(href) <= longestLink {
		c.base = u
	}
}

// hasMain reports whether a page shows which part of it is the main one.
func hasMain(source string, xml bool) bool {
	z := newTokens(source, xml)
	for {
		switch z.next() {
		case html.ErrorToken:
			return false
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "main" {
				return true
			}
		}
	}
}

func attribute(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// number returns the number that an attribute has, within reason, or else another.
func number(t html.Token, key string, other int) int {
	if n, err := strconv.Atoi(attribute(t, key)); err == nil && -mostNumber <= n && n <= mostNumber {
		return n
	}
	return other
}

func has(t html.Token, key string) bool {
	return slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// A grid says where the next cell of a table stands.
type grid struct {
	cells int            // of this row so far
	taken [mostCells]int // by column, how many further cells stand below or beside one that spans them
}

// row begins a row.
func (g *grid) row() {
	for i := g.cells; i < mostCells; i++ {
		g.taken[i] = max(0, g.taken[i]-1)
	}
	g.cells = 0
}

// place places a cell that spans so many columns and rows. It returns how many empty cells come before it.
func (g *grid) place(columns, rows int) (empty int) {
	for ; g.cells < mostCells && g.taken[g.cells] > 0; g.cells++ {
		g.taken[g.cells]--
		empty++
	}
	for i := range min(columns, mostCells-g.cells) {
		g.taken[g.cells+i] = rows - 1
		if i > 0 {
			g.taken[g.cells+i]++
		}
	}
	return empty
}

package markdown

import (
	"net/url"
	"strings"

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
)

// A scope says which parts of a page are kept.
type scope struct {
	main  bool // what is in <main> alone
	menus bool // navigation and asides, too
}

// A cleaner keeps what a reader sees of a page, as simple and well-known HTML.
type cleaner struct {
	scope
	base  *url.URL
	title strings.Builder
	meta  []usage.Meta
	cut   bool

	out      strings.Builder
	elements int
	depth    map[atom.Atom]int
	cells    int // of this row

	hidden      atom.Atom // the element whose content is left out; 0 if there is none
	hiddenDepth int
	inTitle     bool
}

// clean returns what is kept of a page.
func clean(source string, base *url.URL, s scope) *cleaner {
	c := &cleaner{scope: s, base: base, depth: make(map[atom.Atom]int)}
	z := html.NewTokenizer(strings.NewReader(source))
	z.SetMaxBuf(longestToken)
	for !c.full() {
		switch z.Next() {
		case html.ErrorToken:
			return c
		case html.TextToken:
			c.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			c.begin(z.Token())
		case html.EndTagToken:
			c.end(z.Token().DataAtom)
		}
	}
	c.cut = true
	return c
}

func (c *cleaner) full() bool { return c.out.Len() > mostOctets || c.elements > mostElements }

// shows reports whether what comes now is kept.
func (c *cleaner) shows() bool {
	return c.hidden == 0 && (!c.main || c.depth[atom.Main] > 0)
}

func (c *cleaner) text(text string) {
	switch {
	case c.inTitle:
		c.title.WriteString(text[:min(len(text), max(0, longestTitle-c.title.Len()))])
	case c.shows():
		c.write(text)
	}
}

// lessThan stands for "<" in text, since the library would write "&lt;".
const lessThan = "\uE000"

// write keeps text.
func (c *cleaner) write(text string) {
	if c.depth[atom.Pre] == 0 {
		text = spaced(text)
	}
	if c.depth[atom.Table] > 0 {
		text = strings.ReplaceAll(text, "|", `\|`) // a "|" ends a cell
	}
	c.out.WriteString(html.EscapeString(strings.ReplaceAll(text, "<", lessThan)))
}

// spaced returns text with one space for each run of white space.
func spaced(text string) string {
	var b strings.Builder
	space := false
	for _, r := range text {
		if strings.ContainsRune(" \t\r\n\f", r) {
			space = true
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	if space {
		b.WriteByte(' ')
	}
	return b.String()
}

func (c *cleaner) begin(t html.Token) {
	switch name := t.DataAtom; {
	case c.hidden != 0:
		if name == c.hidden {
			c.hiddenDepth++
		}
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

// hides reports whether a reader sees nothing of an element, or nothing that is asked for.
func (c *cleaner) hides(t html.Token) bool {
	if unseen(t.DataAtom) || !c.menus && isMenu(t.DataAtom) {
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
	href := ""
	if name == atom.A {
		if href = c.link(t); href == "" {
			return
		}
	}
	c.depth[name]++
	if c.fits(name) {
		c.elements++
		c.out.WriteString("<" + name.String() + href + ">")
	}
	switch name {
	case atom.Tr:
		c.cells = 0
	case atom.Td, atom.Th:
		c.cells++
	}
}

// close keeps the end of an element whose beginning is kept.
func (c *cleaner) close(element atom.Atom) {
	name, kept := keptAs(element)
	if !kept || c.depth[name] == 0 {
		return
	}
	if c.fits(name) {
		c.out.WriteString("</" + name.String() + ">")
	}
	c.depth[name]--
}

// fits reports whether an element that has just begun is kept. Of a table in a table, only
// the text is.
func (c *cleaner) fits(name atom.Atom) bool {
	switch name {
	case atom.Table, atom.Thead, atom.Tbody, atom.Tr:
		return c.depth[atom.Table] <= 1
	case atom.Td, atom.Th:
		return c.depth[atom.Table] <= 1 && c.cells < mostCells
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
	case t.DataAtom == atom.Img && strings.TrimSpace(alt) != "":
		c.write("(image: " + strings.TrimSpace(alt) + ")")
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
func hasMain(source string) bool {
	z := html.NewTokenizer(strings.NewReader(source))
	z.SetMaxBuf(longestToken)
	for {
		switch z.Next() {
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

func has(t html.Token, key string) bool {
	for _, a := range t.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

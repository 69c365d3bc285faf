// Package markdown turns a page of HTML into Markdown: its text and its links, without what
// a reader does not see.
//
// A page is hostile until shown otherwise. So it is read once, token by token, and only
// known elements are kept, without their attributes. What is kept has a bound in octets, in
// elements, in depth and in the cells of a row. So neither the parser nor the conversion,
// whose time grows with the square of the wrong page, gets more than they can bear.
package markdown

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/go-polite/polite/robots/usage"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Page is what a page says to its reader.
type Page struct {
	Title string
	Text  string       // Markdown
	Left  int          // how many characters of menus, of hidden parts and the like are left out
	Cut   bool         // the page was too large: Text is its beginning
	Meta  []usage.Meta // what the page says of its use, among others

	Elsewhere []Reference // where else a reader finds what belongs to the page
	Scripts   bool        // the page has scripts, which nobody runs here
}

// A Reference is where a page leads a reader who follows no link.
type Reference struct {
	Kind string // refresh, frame or markdown
	URL  string // absolute
}

// A Reading says how a page is read.
type Reading struct {
	XML   bool // the page is XHTML
	Whole bool // menus and what is hidden are kept, too
}

// Of returns what the page in source, which is in UTF-8, says. Its links become absolute by base.
// Text is only the main part, if the page shows which part it is, and if there is text in it.
func Of(source string, base *url.URL, r Reading) Page {
	c := clean(source, base, r, !r.Whole && hasMain(source, r.XML))
	text := convert(c)
	if text == "" && !r.Whole {
		return Of(source, base, Reading{r.XML, true})
	}
	return Page{Title: strings.Join(strings.Fields(c.title.String()), " "), Text: text, Left: c.left, Cut: c.cut, Meta: c.meta, Elsewhere: c.elsewhere, Scripts: c.scripts}
}

// convert returns what was kept of a page as Markdown. It escapes nothing: the text is for a
// reader who is not misled by a "*", and no program shows it. The parser refuses elements that
// are nested too deeply; of such a page there is the text alone.
func convert(c *cleaner) string {
	doc, err := html.Parse(strings.NewReader(c.out.String()))
	if err != nil {
		return restored(html.UnescapeString(tag.ReplaceAllString(c.out.String(), "\n")))
	}
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Ol {
			renumber(n)
		}
	}
	tables := table.NewTablePlugin(
		table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), // aligned cells would grow with the square
		table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
	)
	conv := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), tables),
	)
	text, err := conv.ConvertNode(doc)
	if err != nil {
		return ""
	}
	return restored(string(text))
}

// renumber gives the items of a list their numbers: Markdown has the first and counts up, so others
// are written as words.
func renumber(list *html.Node) {
	items := slices.DeleteFunc(slices.Collect(list.ChildNodes()), func(n *html.Node) bool { return n.DataAtom != atom.Li })
	asked, numbers, step := html.Token{Attr: list.Attr}, make([]int, len(items)), 1
	next := number(asked, "start", 1)
	if has(asked, "reversed") {
		next, step = number(asked, "start", len(items)), -1
	}
	counts := true
	for i, item := range items {
		numbers[i] = number(html.Token{Attr: item.Attr}, "value", next)
		next = numbers[i] + step
		counts = counts && numbers[i] == numbers[0]+i
	}
	if counts && len(items) > 0 {
		list.Attr = []html.Attribute{{Key: "start", Val: strconv.Itoa(numbers[0])}}
		return
	}
	list.Data, list.DataAtom = "ul", atom.Ul
	for i, at := range items {
		for at.FirstChild != nil && (at.FirstChild.DataAtom == atom.P || at.FirstChild.DataAtom == atom.Div) {
			at = at.FirstChild
		}
		at.InsertBefore(&html.Node{Type: html.TextNode, Data: fmt.Sprintf("%d. ", numbers[i])}, at.FirstChild)
	}
}

// restored returns text with each "<" and ">" that was written as something else.
func restored(text string) string {
	return strings.TrimSpace(back.Replace(text))
}

// tag matches tags in a row, as they are kept.
var tag = regexp.MustCompile(`(?:</?[a-z0-9]+(?: [a-z]+="[^"]*")*>\s*)+`)

// Package markdown turns a page of HTML into Markdown: its text and its links, without what
// a reader does not see.
//
// A page is hostile until shown otherwise. So it is read once, token by token, and only
// known elements are kept, without their attributes. What is kept has a bound in octets, in
// elements, in depth and in the cells of a row. So neither the parser nor the conversion,
// whose time grows with the square of the wrong page, gets more than they can bear.
package markdown

import (
	"net/url"
	"strings"

	"github.com/go-polite/polite/robots/usage"
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

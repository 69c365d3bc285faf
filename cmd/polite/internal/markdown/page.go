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
	Main  bool         // Text is the main part of the page, without menus and the like
	Cut   bool         // the page was too large: Text is its beginning
	Meta  []usage.Meta // what the page says of its use, among others
}

// Of returns what the page in source, which is HTML in UTF-8, says. Its links become absolute
// by base. Unless whole is true, Text is only the main part, if the page shows which part it
// is.
func Of(source string, base *url.URL, whole bool) Page {
	c := clean(source, base, scope{main: !whole && hasMain(source), menus: whole})
	text := convert(c)
	if text == "" && !whole {
		return Of(source, base, true)
	}
	return Page{Title: strings.Join(strings.Fields(c.title.String()), " "), Text: text, Main: !whole, Cut: c.cut, Meta: c.meta}
}

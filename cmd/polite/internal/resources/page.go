// Package resources finds what a page loads: its scripts, styles, images, frames and fonts.
// All that it reads is bounded, whatever a page writes.
package resources

import (
	"fmt"
	"io"
	"net/url"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

const (
	// MaxPage is how many octets of a page are read.
	MaxPage = 10 << 20

	// Most is how many resources of a page are listed. The others are counted.
	Most = 1000

	// MostOrigins is how many origins of resources are listed: each has a robots.txt that
	// somebody will ask for.
	MostOrigins = 100

	// mostLooked is how many references are looked at. Many may be the same.
	mostLooked = 10 * Most

	// maxURL is how long the URL of a resource may be, in octets.
	maxURL = 4 << 10
)

// A Page is what a page loads.
type Page struct {
	URL       *url.URL
	Resources []Resource // each URL once, in the order of the page
	Left      int        // how many more references there are, beyond [Most] and [MostOrigins]; some may be the same
	Broken    int        // how many references are no URL, or too long for one
	Cut       bool       // the page is longer than [MaxPage], and its end was not read
	Unread    []error    // why nobody knows what a style loads

	base    *url.URL        // what references are relative to
	known   map[string]bool // the URLs of Resources
	origins map[string]bool // those of Resources
	looked  int             // how many references were looked at
}

// isFull reports whether no more references are looked at.
func (p *Page) isFull() bool { return len(p.Resources) >= Most || p.looked >= mostLooked }

// unread notes that a style could not be looked into.
func (p *Page) unread(style *url.URL, err error) {
	p.Unread = append(p.Unread, fmt.Errorf("what %s loads is not known: %w", style, err))
}

// A Resource is what a page loads from a URL.
type Resource struct {
	URL  *url.URL
	Kind Kind
	From string // the URL of the style that names it; "" if the page itself does
}

// A Kind is what a resource is for.
type Kind string

const (
	Script Kind = "script"
	Style  Kind = "style"
	Image  Kind = "image"
	Frame  Kind = "frame"
	Font   Kind = "font"
	Media  Kind = "media" // sound, film, and what belongs to them
	Data   Kind = "data"  // what scripts read, and manifests
	Object Kind = "object"
)

// Read reads a page from r, in HTML. Its references are relative to at. The content type is
// that of the header; if it is "", the page itself says what its encoding is. The error is
// that of r.
func Read(r io.Reader, at *url.URL, contentType string) (*Page, error) {
	p := &Page{URL: at, base: at, known: make(map[string]bool), origins: make(map[string]bool)}
	bounded := &io.LimitedReader{R: r, N: MaxPage + 1}
	text, err := charset.NewReader(bounded, contentType)
	if err == io.EOF {
		return p, nil // the page is empty
	}
	if err != nil {
		return p, err
	}
	err = p.read(html.NewTokenizer(text))
	p.Cut = bounded.N <= 0
	return p, err
}

// read reads all tags. No tree is made of them, which a page could make deep.
func (p *Page) read(z *html.Tokenizer) error {
	w := walk{page: p}
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); err != io.EOF {
				return err
			}
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			w.start(z)
		case html.EndTagToken:
			w.end(z)
		case html.TextToken:
			if w.style && w.skipped == "" {
				p.addStyle(p.base, string(z.Text()), "")
			}
		}
	}
}

// A walk goes over the tags of a page.
type walk struct {
	page    *Page
	based   bool   // a base was read: the first counts
	style   bool   // the text that follows is that of a style element
	medium  string // the element around, if it is one whose sources are media
	skipped string // the element around whose content no crawler loads; "" for none
}

// start reads a tag, and adds what its element loads.
func (w *walk) start(z *html.Tokenizer) {
	name, more := z.TagName()
	e := element{name: string(name)}
	for more && len(e.attributes) < maxAttributes {
		var key, value []byte
		key, value, more = z.TagAttr()
		e.attributes = append(e.attributes, html.Attribute{Key: string(key), Val: string(value)})
	}
	w.style = e.name == "style"
	switch {
	case w.skipped != "":
		return
	case e.name == "noscript" || e.name == "template":
		w.skipped = e.name
		return
	case e.name == "audio" || e.name == "video" || e.name == "picture":
		w.medium = e.name
	case e.name == "base":
		w.rebase(e)
		return
	}
	for _, r := range e.references(w.medium) {
		w.page.add(w.page.base, r.to, r.kind, "")
	}
	if inline, ok := e.get("style"); ok {
		w.page.addStyle(w.page.base, inline, "")
	}
}

// maxAttributes is how many attributes of a tag are read.
const maxAttributes = 100

// rebase makes references relative to the href of a base, unless one came before it.
func (w *walk) rebase(e element) {
	href, ok := e.get("href")
	if !ok || w.based {
		return
	}
	w.based = true
	if base, ok := resolve(w.page.URL, trimmed(href)); ok && base != nil && len(base.String()) <= maxURL {
		w.page.base = base
	}
}

// end reads the tag that ends an element.
func (w *walk) end(z *html.Tokenizer) {
	name, _ := z.TagName()
	switch string(name) {
	case w.skipped:
		w.skipped = ""
	case w.medium:
		w.medium = ""
	}
	w.style = false
}

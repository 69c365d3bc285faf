package resources

import (
	"golang.org/x/net/html"
)

// A walk goes over the tags of a page.
type walk struct {
	page    *Page
	based   bool   // a base was read: the first counts
	style   bool   // the text that follows is that of a style element
	medium  string // the element around, if it is one whose sources are media
	skipped string // the element around whose content no crawler loads; "" for none
}

// start reads a tag.
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
	w.load(e)
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

// load adds what an element loads.
func (w *walk) load(e element) {
	for _, r := range e.references(w.medium) {
		w.page.add(w.page.base, r.to, r.kind, "")
	}
	if inline, ok := e.get("style"); ok {
		w.page.addStyle(w.page.base, inline, "")
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

// text reads the text of a style element.
func (w *walk) text(z *html.Tokenizer) {
	if w.style && w.skipped == "" {
		w.page.addStyle(w.page.base, string(z.Text()), "")
	}
}

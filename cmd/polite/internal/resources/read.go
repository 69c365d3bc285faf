package resources

import (
	"io"
	"net/url"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
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
			w.text(z)
		}
	}
}

package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/cmd/polite/internal/markdown"
	"github.com/go-polite/polite/internal/decode"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/robots/usage"
)

// A document is the text of a page.
type document struct {
	kind  string // the media type
	text  string
	notes []string
	left  int // how many characters of the page are left out
	meta  []usage.Meta
}

// read reads the text of a page. A page that is no text is refused before its body is read.
func (s *service) read(ctx context.Context, resp *http.Response, whole bool) (document, error) {
	written, body, err := kindOf(resp)
	if err != nil {
		return document{}, err
	}
	if err := s.receiving.Acquire(ctx, 1); err != nil {
		return document{}, err
	}
	defer s.receiving.Release(1)
	raw, err := io.ReadAll(io.LimitReader(body, s.MaxSize+1))
	if err = cmp.Or(err, ctx.Err()); err != nil { // a site may end a body properly when we hang up
		return document{}, fmt.Errorf("the page was cut short: %w", err)
	}
	if err := s.converting.Acquire(ctx, 1); err != nil {
		return document{}, err
	}
	defer s.converting.Release(1)
	return s.convert(raw, written, resp, whole), nil
}

// kindOf returns what a page says it is, and its body. If it says nothing, the body tells.
func kindOf(resp *http.Response) (written string, body io.Reader, err error) {
	written, body = resp.Header.Get("Content-Type"), resp.Body
	if written == "" {
		head := make([]byte, 512)
		n, err := io.ReadFull(body, head)
		if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
			return "", nil, err
		}
		written, body = http.DetectContentType(head[:n]), io.MultiReader(bytes.NewReader(head[:n]), body)
	}
	if codings := fetch.Codings(resp.Header); len(codings) > 0 { // we have not asked for them
		return "", nil, noText(resp, written+" in the encoding "+strings.Join(codings, ", "))
	}
	if !isText(mediaType(written)) && resp.Request.URL.Path != "/robots.txt" { // which is text, whatever its site says
		return "", nil, noText(resp, written)
	}
	return written, body, nil
}

// mediaType returns the media type of a Content-Type, also if a parameter has a slip.
func mediaType(written string) string {
	kind, _, err := mime.ParseMediaType(written)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	return kind
}

// convert returns the text of a body, up to the bound.
func (s *service) convert(raw []byte, written string, resp *http.Response, whole bool) document {
	cut := int64(len(raw)) > s.MaxSize
	if cut {
		raw = raw[:s.MaxSize]
	}
	text, guessed := decode.Text(raw, written)
	d := textOf(string(text), mediaType(written), resp, whole)
	if guessed != "" {
		d.notes = append(d.notes, "The site does not say which encoding it is in: it was read as "+guessed+".")
	}
	if most := int(2 * s.MaxSize); len(d.text) > most { // in UTF-8, and escaped, it may be longer
		d.text, cut = strings.ToValidUTF8(d.text[:most], ""), true
	}
	if cut {
		d.notes = append(d.notes, fmt.Sprintf("The page is longer than this server reads, which is about %d octets: this is its beginning.", s.MaxSize))
	}
	return d
}

// textOf returns what a text says: that of HTML as Markdown, all others as they are.
func textOf(text, kind string, resp *http.Response, whole bool) document {
	d := document{kind: excerpt(kind)}
	if kind != "text/html" && kind != "application/xhtml+xml" {
		d.text = harmless(text)
		return d
	}
	p := markdown.Of(text, resp.Request.URL, markdown.Reading{XML: kind == "application/xhtml+xml", Whole: whole})
	d.meta, d.text, d.left = p.Meta, harmless(p.Text), p.Left
	if p.Title != "" {
		d.text = "# " + strings.ReplaceAll(harmless(p.Title), "\n", " ") + "\n\n" + d.text
	}
	d.notes = append(d.notes, "It is HTML as Markdown.")
	d.notes = append(d.notes, elsewhere(p)...)
	if p.Cut {
		d.notes = append(d.notes, "The page has too many elements: this is its beginning.")
	}
	return d
}

// elsewhere tells what a reader of the page would see that its text does not have.
func elsewhere(p markdown.Page) (notes []string) {
	forms := map[string]string{
		"refresh": "The page sends its reader on to %s.", "frame": "The page shows another page in a frame: %s.", "markdown": "The page is also there in Markdown: %s.",
	}
	for _, r := range p.Elsewhere[:min(len(p.Elsewhere), mostElsewhere)] {
		notes = append(notes, fmt.Sprintf(forms[r.Kind], excerpt(r.URL)))
	}
	if p.Scripts && utf8.RuneCountInString(p.Text) < hardlyAnything {
		notes = append(notes, "The page may show more with JavaScript, which this server does not run.")
	}
	return notes
}

const (
	mostElsewhere  = 5   // references that are told
	hardlyAnything = 200 // characters
)

// isText reports whether a media type is that of a text.
func isText(kind string) bool {
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") && kind != "image/svg+xml" {
		return true
	}
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/x-javascript", "application/ecmascript",
		"application/yaml", "application/x-yaml", "application/toml", "application/x-ndjson", "application/sql", "application/x-sh":
		return true
	}
	return false
}

// noText refuses a page that is no text.
func noText(resp *http.Response, kind string) *Refusal {
	size := "of a size that the site does not tell"
	if resp.ContentLength >= 0 {
		size = fmt.Sprintf("of %d octets", resp.ContentLength)
	}
	u := resp.Request.URL.String()
	return &Refusal{Why: "kind", URL: excerpt(u), Says: fmt.Sprintf("%s is no text: it is %s, %s. Only texts are returned, and its content was not read.", excerpt(u), quoted(kind), size)}
}

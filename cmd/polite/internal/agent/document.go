package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/markdown"
	"github.com/go-polite/polite/robots/usage"
	"golang.org/x/net/html/charset"
)

// A document is the text of a page.
type document struct {
	kind  string // the media type
	text  string
	notes []string
	meta  []usage.Meta
}

// read reads the text of a page. A page that is no text is refused before its body is read.
func (s *service) read(ctx context.Context, resp *http.Response, whole bool) (document, error) {
	body := io.Reader(resp.Body)
	written := resp.Header.Get("Content-Type")
	if written == "" {
		head := make([]byte, 512)
		n, err := io.ReadFull(body, head)
		if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
			return document{}, err
		}
		written, body = http.DetectContentType(head[:n]), io.MultiReader(bytes.NewReader(head[:n]), body)
	}
	kind, _, err := mime.ParseMediaType(written)
	if err != nil || !isText(kind) {
		return document{}, noText(resp, written)
	}
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return document{}, context.Cause(ctx)
	}
	text, cut, err := s.decoded(body, written)
	if err != nil {
		return document{}, err
	}
	d := textOf(text, kind, resp, whole)
	if cut {
		d.notes = append(d.notes, fmt.Sprintf("The page is larger than %d octets, which is what this server reads: this is its beginning.", s.MaxSize))
	}
	return d, nil
}

// decoded reads the text of a body in UTF-8, up to the bound. cut says that there is more.
func (s *service) decoded(body io.Reader, kind string) (text string, cut bool, err error) {
	raw, err := io.ReadAll(io.LimitReader(body, s.MaxSize+1))
	if err != nil {
		return "", false, fmt.Errorf("the page was cut short: %w", err)
	}
	if cut = int64(len(raw)) > s.MaxSize; cut {
		raw = raw[:s.MaxSize]
	}
	encoding, _, _ := charset.DetermineEncoding(raw[:min(len(raw), 1024)], kind)
	decoded, err := encoding.NewDecoder().Bytes(raw)
	if err != nil {
		decoded = raw // what cannot be read in it is replaced later
	}
	if most := 2 * s.MaxSize; int64(len(decoded)) > most {
		decoded, cut = decoded[:most], true
	}
	return string(decoded), cut, nil
}

// textOf returns what a text says: that of HTML as Markdown, all others as they are.
func textOf(text, kind string, resp *http.Response, whole bool) document {
	d := document{kind: kind}
	if kind != "text/html" && kind != "application/xhtml+xml" {
		d.text = harmless(text)
		return d
	}
	p := markdown.Of(text, resp.Request.URL, whole)
	d.meta, d.text = p.Meta, harmless(p.Text)
	if p.Title != "" {
		d.text = "# " + strings.ReplaceAll(harmless(p.Title), "\n", " ") + "\n\n" + d.text
	}
	if p.Main {
		d.notes = append(d.notes, "It is HTML as Markdown, without menus and the like: whole=true returns them, too.")
	} else {
		d.notes = append(d.notes, "It is HTML as Markdown.")
	}
	if p.Cut {
		d.notes = append(d.notes, "The page has too many elements: this is its beginning.")
	}
	return d
}

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

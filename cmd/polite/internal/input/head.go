package input

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/sitemap"
)

// A Head is the beginning of a file, kept while the file is read.
type Head struct{ start []byte }

// longestHead is enough to know what a file is.
const longestHead = 4096

// Of returns a reader of r whose beginning is kept.
func (h *Head) Of(r io.Reader) io.Reader { return io.TeeReader(r, h) }

// Write keeps p, as far as it belongs to the beginning.
func (h *Head) Write(p []byte) (int, error) {
	h.start = append(h.start, p[:min(len(p), longestHead-len(h.start))]...)
	return len(p), nil
}

// Instead says what the file of a name is, if it is no list of expectations, and what to do
// with it. It is "" if nothing is known.
func (h *Head) Instead(name string) string {
	switch first := h.firstLine(); {
	case sitemap.Is(h.start):
		return fmt.Sprintf(": it is no list of expectations; if it is a sitemap, write into one: sitemap:%s Googlebot allowed", name)
	case bytes.IndexByte(h.start, 0) >= 0:
		return ": it is no text"
	case robotstxt.NewText(h.start).Lack() == "":
		return fmt.Sprintf(": it is a robots.txt; write -f %s, and after --expect a file whose lines have a URL, a crawler and a verdict", name)
	case (IsURL(first) || strings.HasPrefix(first, "/")) && !strings.ContainsAny(first, " \t,"):
		return ": it is a list of URLs; write a crawler and a verdict behind each, as in: https://example.com/ Googlebot allowed"
	default:
		return ""
	}
}

// firstLine returns the first line that is neither blank nor a comment.
func (h *Head) firstLine() string {
	for line := range Lines(bytes.NewReader(h.start)) {
		return line
	}
	return ""
}

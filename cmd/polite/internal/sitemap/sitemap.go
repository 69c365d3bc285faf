// Package sitemap reads sitemaps (https://www.sitemaps.org/protocol.html), which may be
// compressed.
package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// MaxSize is how many octets of a sitemap are read, also of one that is compressed: more
// than its protocol allows.
const MaxSize = 64 << 20

// An Entry is a URL that a sitemap names.
type Entry struct {
	URL     string
	Sitemap bool // it is that of another sitemap: this one is an index
}

// Is reports whether the octets that a list begins with are those of a sitemap, or of
// something compressed.
func Is(start []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xEF\xBB\xBF")), " \t\r\n")
	return bytes.HasPrefix(text, []byte("<")) || isPacked(start)
}

func isPacked(start []byte) bool { return bytes.HasPrefix(start, []byte("\x1f\x8b")) }

// Unpack returns a reader of what is in r, which may be compressed. After MaxSize octets, it
// returns an error.
func Unpack(r *bufio.Reader) (*bufio.Reader, error) {
	var plain io.Reader = r
	if start, _ := r.Peek(2); isPacked(start) {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("it cannot be unpacked: %w", err)
		}
		plain = unpacked
	}
	return bufio.NewReader(&bounded{plain, MaxSize}), nil
}

// A bounded is a Reader of so many octets, and no more.
type bounded struct {
	io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it is larger than %d MiB", MaxSize>>20)
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// Entries yields the entries of a sitemap. After an error there are no more.
func Entries(r io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		d := decoder{Decoder: xml.NewDecoder(r)}
		d.Strict = false // a raw "&" is common
		for {
			entry, err := d.next()
			if err == io.EOF || !yield(entry, err) || err != nil {
				return
			}
		}
	}
}

// A decoder knows where in a sitemap it is.
type decoder struct {
	*xml.Decoder
	path []string // the names of the elements around
}

// next returns the next entry. In a sitemap of images or of news, other elements have a loc,
// too.
func (d *decoder) next() (e Entry, err error) {
	for {
		token, err := d.Token()
		if err != nil {
			return e, err
		}
		switch t := token.(type) {
		case xml.EndElement:
			d.path = d.path[:max(0, len(d.path)-1)]
		case xml.StartElement:
			switch name := t.Name.Local; {
			case len(d.path) == 0 && name != "urlset" && name != "sitemapindex":
				return e, fmt.Errorf("it is no sitemap: it begins with <%s>", name)
			case len(d.path) == maxDepth:
				return e, errors.New("it is no sitemap: its elements are nested too deeply")
			case name == "loc" && len(d.path) == 2 && (d.path[1] == "url" || d.path[1] == "sitemap"):
				return d.location(t)
			}
			d.path = append(d.path, t.Name.Local)
		}
	}
}

// maxDepth is deeper than the elements of any sitemap.
const maxDepth = 100

// location returns the entry of an element, which it reads to its end.
func (d *decoder) location(start xml.StartElement) (Entry, error) {
	var text string
	err := d.DecodeElement(&text, &start)
	return Entry{URL: strings.TrimSpace(text), Sitemap: d.path[1] == "sitemap"}, err
}

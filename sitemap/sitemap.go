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
	"net/url"
	"strings"

	"github.com/go-polite/polite/internal/origin"
	"golang.org/x/net/html/charset"
)

// MaxSize is how many octets of a sitemap are read, also of one that is compressed: more
// than its protocol allows.
const MaxSize = 64 << 20

// An Entry is a URL that a sitemap names.
type Entry struct {
	URL     string // as written there, without the space around: it may be anything
	Sitemap bool   // it is that of another sitemap: this one is an index
}

// Is reports whether a body that begins with start may be a sitemap: XML, or something
// compressed. A web page is XML here, too, and a text with a URL a line is not.
func Is(start []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xEF\xBB\xBF")), " \t\r\n")
	return bytes.HasPrefix(text, []byte("<")) || isPacked(start)
}

func isPacked(start []byte) bool { return bytes.HasPrefix(start, []byte("\x1f\x8b")) }

// Unpack returns a reader of the text in r, which may be compressed, or in UTF-16 with a mark. The
// error says that it is damaged. After MaxSize octets, reading fails.
func Unpack(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReader(r)
	if start, _ := in.Peek(2); isPacked(start) {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("it cannot be unpacked: %w", err)
		}
		in = bufio.NewReader(unpacked)
	}
	in = bufio.NewReader(&bounded{in, MaxSize})
	label := ""
	switch mark, _ := in.Peek(2); string(mark) {
	case "\xff\xfe":
		label = "utf-16le"
	case "\xfe\xff":
		label = "utf-16be"
	default:
		return in, nil
	}
	text, err := charset.NewReaderLabel(label, in)
	return bufio.NewReader(text), err
}

// A bounded is a Reader of so many octets, and no more.
type bounded struct {
	io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

var errTooLarge = fmt.Errorf("it is larger than %d MiB", MaxSize>>20)

// Read yields the entries of the sitemap in r, in its order, while it reads. After an error there
// are no more. In a text, Read passes over lines that are no URL, but the first.
func Read(r io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		in, err := Unpack(r)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		next := lines(in)
		if start, _ := in.Peek(headSize); Is(start) || len(bytes.TrimSpace(start)) == 0 {
			next = newDecoder(in).next
		}
		for {
			entry, err := next()
			if err == io.EOF || !yield(entry, err) || err != nil {
				return
			}
		}
	}
}

// headSize is how many octets say what a sitemap is.
const headSize = 512

// lines returns a function that returns the next URL of a text.
func lines(r io.Reader) func() (Entry, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	begun := false
	return func() (Entry, error) {
		for in.Scan() {
			text := strings.TrimSpace(strings.TrimPrefix(in.Text(), "\uFEFF"))
			u, err := url.Parse(text)
			if isURL := err == nil && origin.IsHTTP(u) && u.Host != ""; isURL || text != "" && !begun {
				if begun = true; !isURL {
					return Entry{}, errors.New("it is no sitemap: it is neither XML nor a text with a URL a line")
				}
				return Entry{URL: text}, nil
			}
		}
		if err := in.Err(); err != nil {
			return Entry{}, err
		}
		return Entry{}, io.EOF
	}
}

// maxLine is longer than any URL that servers accept.
const maxLine = 1 << 20

// maxPiece is how many octets of XML a token or an entry may have.
const maxPiece = 2 << 20

// A chunk is a Reader of the octets of one token or entry: xml.Decoder keeps all of it in memory.
type chunk struct {
	*bufio.Reader
	left int
}

func (c *chunk) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errLongToken
	}
	n, err := c.Reader.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// ReadByte keeps xml.Decoder from reading ahead.
func (c *chunk) ReadByte() (byte, error) {
	if c.left <= 0 {
		return 0, errLongToken
	}
	c.left--
	return c.Reader.ReadByte()
}

var errLongToken = fmt.Errorf("a piece of it is longer than %d octets", maxPiece)

// A decoder knows where in a sitemap it is.
type decoder struct {
	*xml.Decoder
	in   *chunk
	path []string // the names of the elements around
}

func newDecoder(r *bufio.Reader) *decoder {
	in := &chunk{Reader: r}
	d := &decoder{Decoder: xml.NewDecoder(in), in: in}
	d.Strict = false // a raw "&" is common
	d.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(label), "utf-16") {
			return r, nil // what is declared could be read, so it is in another encoding by now
		}
		return charset.NewReaderLabel(label, r)
	}
	return d
}

// next returns the next entry. In a sitemap of images or of news, other elements have a loc,
// too.
func (d *decoder) next() (e Entry, err error) {
	for {
		d.in.left = maxPiece
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

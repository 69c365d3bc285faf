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
	"time"
	"unicode/utf8"

	"github.com/go-polite/polite/internal/decode"
	"github.com/go-polite/polite/internal/origin"
	"golang.org/x/net/html/charset"
)

// MaxSize is how many octets of a sitemap are read, also of one that is compressed: more
// than its protocol allows.
const MaxSize = 64 << 20

// An Entry is a URL that a sitemap names.
type Entry struct {
	URL     string // as the sitemap writes it, without the space around it: it may be any text
	Sitemap bool   // the URL is that of another sitemap: this sitemap is an index

	// LastMod is when the page was changed last, as the site says: in UTC if it names no zone. It is
	// zero if the site says nothing that can be read.
	LastMod time.Time
}

// Is reports whether a body that begins with start may be a sitemap: XML, or something
// compressed or in UTF-16. A web page is XML here, too, and a text with a URL a line is not.
func Is(start []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xEF\xBB\xBF")), " \t\r\n")
	return bytes.HasPrefix(text, []byte("<")) || isPacked(start) || wide(start) != ""
}

func isPacked(start []byte) bool { return bytes.HasPrefix(start, []byte("\x1f\x8b")) }

// Unpack returns a reader of the text in r, which may be compressed, or in UTF-16 with a mark. The
// error says that the compressed text is damaged. After MaxSize octets, reading fails.
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
	start, _ := in.Peek(2)
	label := wide(start)
	if label == "" {
		return in, nil
	}
	text, err := charset.NewReaderLabel(label, in)
	return bufio.NewReader(text), err
}

// wide returns which form of UTF-16 the mark at the start of a text names. It is "" if there is none.
func wide(start []byte) string {
	switch {
	case bytes.HasPrefix(start, []byte("\xff\xfe")):
		return "utf-16le"
	case bytes.HasPrefix(start, []byte("\xfe\xff")):
		return "utf-16be"
	}
	return ""
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

// Read yields the entries of the sitemap in r, in its order, while it reads. After an error there are no
// more. Read skips entries without a URL. In a text, it skips lines that are no URL, except the first
// line. Octets that are no character of XML are read as U+FFFD.
func Read(r io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		in, err := Unpack(r)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		next := lines(in)
		if start, _ := in.Peek(headSize); Is(start) || len(bytes.TrimSpace(start)) == 0 {
			if in, err = declared(in, start); err != nil {
				yield(Entry{}, err)
				return
			}
			next = newDecoder(in).next
		}
		for {
			entry, err := next()
			if entry.URL != "" && !yield(entry, nil) || err == io.EOF {
				return
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
		}
	}
}

// headSize is how many octets say what a sitemap is.
const headSize = 512

// declared returns the text behind the declaration of XML in r, in UTF-8. The decoder does not see the
// declaration: it refuses versions that it need not know.
func declared(r *bufio.Reader, start []byte) (*bufio.Reader, error) {
	size, label := decode.Declaration(start)
	r.Discard(size)
	if label == "" || strings.HasPrefix(strings.ToLower(label), "utf-16") {
		return r, nil // the declaration could be read, so the text is in UTF-8 by now
	}
	text, err := charset.NewReaderLabel(label, r)
	if err != nil {
		return nil, fmt.Errorf("xml: opening charset %q: %w", label, err)
	}
	return bufio.NewReader(text), nil
}

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

var errLongToken = fmt.Errorf("a piece of it is longer than %d octets", maxPiece)

// A decoder knows where in a sitemap it is.
type decoder struct {
	*xml.Decoder
	in    *cleaner
	path  []string // the names of the elements around
	entry Entry    // of which the end has not come yet
}

func newDecoder(r *bufio.Reader) *decoder {
	in := &cleaner{in: r}
	d := &decoder{Decoder: xml.NewDecoder(in), in: in}
	d.Strict = false                                                                     // a raw "&" is common
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // a declaration in a wrong place
	return d
}

// A cleaner reads text in UTF-8, and U+FFFD for what XML does not allow: one octet that is damaged ends no
// sitemap. It reads no more than one piece at a time: xml.Decoder keeps all of it in memory.
type cleaner struct {
	in   *bufio.Reader
	left int    // octets of the piece
	rest []byte // of a character
	room [utf8.UTFMax]byte
}

func (c *cleaner) ReadByte() (byte, error) {
	if c.left--; c.left < 0 {
		return 0, errLongToken
	}
	if len(c.rest) == 0 {
		r, _, err := c.in.ReadRune()
		if err != nil {
			return 0, err
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\uFFFE' || r == '\uFFFF' {
			r = utf8.RuneError
		}
		c.rest = utf8.AppendRune(c.room[:0], r)
	}
	first := c.rest[0]
	c.rest = c.rest[1:]
	return first, nil
}

// Read makes c an io.Reader. xml.Decoder calls ReadByte instead.
func (c *cleaner) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// next returns the next entry, whose URL may be empty, also beside an error. In a sitemap of images or of
// news, other elements have a loc, too.
func (d *decoder) next() (Entry, error) {
	for {
		d.in.left = maxPiece
		token, err := d.Token()
		if err != nil {
			return d.end(), err
		}
		switch t := token.(type) {
		case xml.EndElement:
			if d.path = d.path[:max(0, len(d.path)-1)]; len(d.path) == 1 {
				return d.end(), nil
			}
		case xml.StartElement:
			switch name := t.Name.Local; {
			case len(d.path) == 0 && name != "urlset" && name != "sitemapindex":
				return d.end(), fmt.Errorf("it is no sitemap: it begins with <%s>", name)
			case len(d.path) == maxDepth:
				return d.end(), errors.New("it is no sitemap: its elements are nested too deeply")
			case (name == "loc" || name == "lastmod") && len(d.path) == 2 && (d.path[1] == "url" || d.path[1] == "sitemap"):
				if before, err := d.field(t); before.URL != "" || err != nil {
					return before, err
				}
				continue
			}
			d.path = append(d.path, t.Name.Local)
		}
	}
}

// maxDepth is deeper than the elements of any sitemap.
const maxDepth = 100

// field reads an element of an entry to its end. If the entry had a URL already, it returns this entry.
func (d *decoder) field(start xml.StartElement) (before Entry, err error) {
	var text string
	err = d.DecodeElement(&text, &start)
	text = strings.TrimSpace(text)
	switch {
	case start.Name.Local == "lastmod":
		d.entry.LastMod = timeOf(text)
	case d.entry.URL != "":
		before = d.end()
		fallthrough
	default:
		d.entry.URL, d.entry.Sitemap = text, d.path[1] == "sitemap"
	}
	return before, err
}

// end returns the entry that ends.
func (d *decoder) end() (e Entry) {
	e, d.entry = d.entry, e
	return e
}

// timeOf reads a W3C Datetime, which may be shortened: https://www.w3.org/TR/NOTE-datetime.
func timeOf(text string) time.Time {
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01", "2006"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}

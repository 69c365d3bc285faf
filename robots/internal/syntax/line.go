// Package syntax reads what robots.txt is written in: lines and their keys,
// product tokens, delays, and the normal form of patterns and paths.
package syntax

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// MaxSize is the number of octets of a file that are read (RFC 9309 §2.5).
const MaxSize = 500 << 10

// ByteOrderMark is U+FEFF in UTF-8.
const ByteOrderMark = "\xEF\xBB\xBF"

// MarkSize returns the number of octets of a byte order mark that body begins with: the
// whole mark, or its first octets, which Google's parser skips as well.
func MarkSize(body []byte) (n int) {
	for n < len(ByteOrderMark) && n < len(body) && body[n] == ByteOrderMark[n] {
		n++
	}
	return n
}

// Truncate cuts body to the whole lines within its first MaxSize octets.
func Truncate(body []byte) (_ []byte, truncated bool) {
	if len(body) <= MaxSize {
		return body, false
	}
	if next := body[MaxSize]; next == '\n' || next == '\r' {
		return body[:MaxSize], true
	}
	body = body[:MaxSize]
	return body[:bytes.LastIndexAny(body, "\r\n")+1], true
}

// A cutter tells where the lines of a body end: at LF, CR or CRLF.
type cutter struct {
	body     []byte
	lineFeed int // the last one found, which may be many carriage returns ahead
}

// end returns the end of the line that begins at start. Callers ask for lines in their
// order.
func (c *cutter) end(start int) int {
	if c.lineFeed < start {
		c.lineFeed = len(c.body)
		if i := bytes.IndexByte(c.body[start:], '\n'); i >= 0 {
			c.lineFeed = start + i
		}
	}
	if i := bytes.IndexByte(c.body[start:c.lineFeed], '\r'); i >= 0 {
		return start + i
	}
	return c.lineFeed
}

// A Plain line is blank, or has one of the most usual keys, spelled right, a value of characters that stand
// for themselves in normal form, and nothing else. Most lines are plain.
type Plain struct {
	Kind    Kind // Other if the line is blank
	Size    int  // of the line, without its end
	Value   int  // where the value begins; it ends with the line, and may be empty
	Literal int  // so many octets at the beginning of the value have no wildcard
}

// IsRule reports whether the line is an allow or disallow line.
func (p Plain) IsRule() bool { return p.Kind == Allow || p.Kind == Disallow }

// ReadPlain reads the first line of body, which is not empty, in a single pass. If the
// line is not plain, ok is false; a cutter and Split read it then.
func ReadPlain(body []byte) (line Plain, ok bool) {
	if body[0] == '\n' || body[0] == '\r' {
		return Plain{}, true
	}
	kind, value := plainKey(body)
	if kind == Other {
		return Plain{}, false
	}
	for value < len(body) && (body[value] == ' ' || body[value] == '\t') {
		value++
	}
	end := value + firstUnusual(body[value:])
	literal := end - value
	for end < len(body) && isOrdinary[body[end]] {
		end++
	}
	if end < len(body) && body[end] != '\n' && body[end] != '\r' {
		return Plain{}, false
	}
	return Plain{kind, end, value, literal}, true
}

// plainKey returns the kind of a line that begins with one of the most usual keys, and the size of the key
// with its colon. A body that is shorter than the longest of them has none: it is the end of a file.
func plainKey(body []byte) (kind Kind, size int) {
	if len(body) < len("user-agent:") {
		return Other, 0
	}
	switch word := binary.LittleEndian.Uint64(body) | caseBits; {
	case word == disallowWord && body[8] == ':':
		return Disallow, len("disallow:")
	case word<<24 == allowWord && body[5] == ':':
		return Allow, len("allow:")
	case word == userAgentWord && body[4] == '-' && body[8]|' ' == 'n' && body[9]|' ' == 't' && body[10] == ':':
		return UserAgent, len("user-agent:")
	case word == sitemapWord && body[7] == ':':
		return Sitemap, len("sitemap:")
	}
	return Other, 0
}

// The keys of plain lines as words, to be compared at once. The bits that tell upper from lower case are set,
// also where a key has no letter: there, other octets look the same.
const (
	caseBits      = 0x2020202020202020
	disallowWord  = 'd' | 'i'<<8 | 's'<<16 | 'a'<<24 | 'l'<<32 | 'l'<<40 | 'o'<<48 | 'w'<<56
	allowWord     = 'a'<<24 | 'l'<<32 | 'l'<<40 | 'o'<<48 | 'w'<<56
	userAgentWord = 'u' | 's'<<8 | 'e'<<16 | 'r'<<24 | '-'<<32 | 'a'<<40 | 'g'<<48 | 'e'<<56
	sitemapWord   = 's' | 'i'<<8 | 't'<<16 | 'e'<<24 | 'm'<<32 | 'a'<<40 | 'p'<<48 | ':'<<56
)

// Split returns the key and the value of a line; ok is false if it has none. A known key
// may lack its colon if the line is exactly two words.
func Split(line []byte) (key, value []byte, ok bool) {
	if comment := bytes.IndexByte(line, '#'); comment >= 0 {
		line = line[:comment]
	}
	line = Trim(line)
	if colon := bytes.IndexByte(line, ':'); colon >= 0 {
		key = Trim(line[:colon])
		return key, Trim(line[colon+1:]), len(key) > 0
	}
	blank := bytes.IndexAny(line, " \t")
	if blank < 0 {
		return nil, nil, false
	}
	key, value = Trim(line[:blank]), bytes.TrimLeft(line[blank:], " \t")
	return key, Trim(value), !bytes.ContainsAny(value, " \t") && Classify(key) != Other
}

// A Line is one line of a body.
type Line struct {
	Number  int    // from 1
	Text    []byte // without the line's end
	End     []byte // LF, CR or CRLF; none at the end of the body
	Plain   Plain  // if IsPlain
	IsPlain bool
	Last    bool
}

// Lines returns the lines of a body without a byte order mark. Each Line is good until
// the next one.
func Lines(body []byte) iter.Seq[*Line] {
	return func(yield func(*Line) bool) {
		cutter := cutter{body: body, lineFeed: -1}
		var line Line
		for start := 0; start < len(body); {
			line.Number++
			line.Plain, line.IsPlain = ReadPlain(body[start:])
			end := start + line.Plain.Size
			if !line.IsPlain {
				end = cutter.end(start)
			}
			next := min(end+1, len(body))
			if end+1 < len(body) && body[end] == '\r' && body[end+1] == '\n' {
				next++
			}
			line.Text, line.End, line.Last = body[start:end], body[end:next], next == len(body)
			if !yield(&line) {
				return
			}
			start = next
		}
	}
}

// A Kind is what a line is, by its key.
type Kind uint8

const (
	Other Kind = iota // a record whose key has no meaning here
	Allow
	Disallow
	UserAgent
	Sitemap
	CrawlDelay
	RequestRate
	ContentSignal // see ClassifyUsage
	ContentUsage  // see ClassifyUsage
)

// Kinds is the number of kinds.
const Kinds = ContentUsage + 1

// Classify returns the kind of line that has this key, or a usual slip for it.
func Classify(key []byte) Kind {
	var folded [len("request-rate")]byte
	if len(key) > len(folded) {
		return Other
	}
	for i, c := range key {
		folded[i] = Lower(c)
	}
	switch string(folded[:len(key)]) {
	case "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		return Disallow
	case "allow":
		return Allow
	case "user-agent", "useragent", "user agent":
		return UserAgent
	case "sitemap", "site-map":
		return Sitemap
	case "crawl-delay":
		return CrawlDelay
	case "request-rate":
		return RequestRate
	}
	return Other
}

// Lower returns the lower case of an ASCII letter, and any other octet as it is.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// CompareFold orders strings by their octets, without regard to ASCII case.
func CompareFold(a, b string) int {
	if a == b {
		return 0 // as in most cases
	}
	for i := range min(len(a), len(b)) {
		if x, y := Lower(a[i]), Lower(b[i]); x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// IsSpace reports whether c is white space: a space, a tab, VT or FF, or a line end.
func IsSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// Trim returns b without the white space around it.
func Trim(b []byte) []byte {
	for len(b) > 0 && IsSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && IsSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// Tokens returns the product tokens that the value of a user-agent line names: long for a
// crawler whose own token has digits or dots, short for a crawler whose own token has
// only characters that RFC 9309 §2.2.1 allows. In most files both are the same. Either is
// empty if the value names no such token.
func Tokens[T string | []byte](value T) (long, short T) {
	if len(value) > 0 && value[0] == '*' {
		if len(value) == 1 || IsSpace(value[1]) {
			return value[:1], value[:1]
		}
		return value[:0], value[:0]
	}
	n := 0
	for n < len(value) && IsStrictTokenByte(value[n]) {
		n++
	}
	short = value[:n]
	for n < len(value) && IsTokenByte(value[n]) {
		n++
	}
	return value[:n], short
}

// TokenEnd returns the number of octets at the beginning of s for which is returns true.
func TokenEnd[T string | []byte](s T, is func(byte) bool) int {
	for i := range len(s) {
		if !is(s[i]) {
			return i
		}
	}
	return len(s)
}

// IsTokenByte reports whether c may be part of a crawler's product token.
func IsTokenByte(c byte) bool { return IsStrictTokenByte(c) || IsDigit(c) || c == '.' }

// IsStrictTokenByte reports whether RFC 9309 §2.2.1 allows c in a product token.
func IsStrictTokenByte(c byte) bool {
	return 'a' <= Lower(c) && Lower(c) <= 'z' || c == '_' || c == '-'
}

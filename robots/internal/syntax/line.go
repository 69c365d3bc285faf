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

// A Cutter tells where the lines of a body end: at LF, CR or CRLF.
type Cutter struct {
	body     []byte
	lineFeed int // the last one found, which may be many carriage returns ahead
}

// NewCutter returns a Cutter for a body without a byte order mark.
func NewCutter(body []byte) Cutter { return Cutter{body: body, lineFeed: -1} }

// End returns the end of the line that begins at start. Callers ask for lines in their
// order.
func (c *Cutter) End(start int) int {
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

// Next returns the start of the line after the one that ends at end. If there is none,
// it returns the length of the body, or one more.
func (c *Cutter) Next(end int) int {
	if end+1 < len(c.body) && c.body[end] == '\r' && c.body[end+1] == '\n' {
		end++
	}
	return end + 1
}

// A Plain line is blank, or an allow or disallow line that is spelled right, with a
// pattern in normal form and nothing else. Most lines are plain.
type Plain struct {
	Size    int // of the line, without its end; 0 if it is blank
	Pattern int // where the pattern begins; it ends with the line, and may be empty
	Literal int // so many octets at the beginning of the pattern have no wildcard
	Allow   bool
}

// ReadPlain reads the first line of body, which is not empty, in a single pass. If the
// line is not plain, ok is false; a Cutter and Split read it then.
func ReadPlain(body []byte) (line Plain, ok bool) {
	value, allow := 0, false
	switch {
	case body[0] == '\n' || body[0] == '\r':
		return Plain{}, true
	case len(body) < 9:
		return Plain{}, false
	case binary.LittleEndian.Uint64(body)|caseBits == disallowWord && body[8] == ':':
		value = len("disallow:")
	case binary.LittleEndian.Uint64(body)<<24|caseBits == allowWord && body[5] == ':':
		value, allow = len("allow:"), true
	default:
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
	return Plain{end, value, literal, allow}, true
}

// The keys of plain lines as words, to be compared at once. The bits that tell upper
// from lower case are set.
const (
	caseBits     = 0x2020202020202020
	disallowWord = 'd' | 'i'<<8 | 's'<<16 | 'a'<<24 | 'l'<<32 | 'l'<<40 | 'o'<<48 | 'w'<<56
	userAgeWord  = 'u' | 's'<<8 | 'e'<<16 | 'r'<<24 | '-'<<32 | 'a'<<40 | 'g'<<48 | 'e'<<56
	allowWord    = 0x202020 | 'a'<<24 | 'l'<<32 | 'l'<<40 | 'o'<<48 | 'w'<<56
)

// ReadAgent reads the first line of body if it is a user-agent line that is spelled
// right, and whose value is "*" or a product token as in RFC 9309. Most user-agent lines
// are like that: without ReadAgent, Parse takes 1.1 times as long. It returns the token,
// and the size of the line without its end. The size of any other line is 0.
func ReadAgent(body []byte) (token []byte, size int) {
	const key = len("user-agent:")
	if len(body) < key+1 || binary.LittleEndian.Uint64(body)|caseBits != userAgeWord || body[4] != '-' || body[8]|' ' != 'n' || body[9]|' ' != 't' || body[10] != ':' {
		return nil, 0
	}
	start := key
	for start < len(body) && (body[start] == ' ' || body[start] == '\t') {
		start++
	}
	end := start
	if end < len(body) && body[end] == '*' {
		end++
	} else {
		end += TokenEnd(body[start:], IsStrictTokenByte)
	}
	if end == start || end < len(body) && body[end] != '\n' && body[end] != '\r' {
		return nil, 0
	}
	return body[start:end], end
}

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
		cutter := NewCutter(body)
		var line Line
		for start := 0; start < len(body); {
			line.Number++
			line.Plain, line.IsPlain = ReadPlain(body[start:])
			end := start + line.Plain.Size
			if !line.IsPlain {
				end = cutter.End(start)
			}
			next := min(cutter.Next(end), len(body))
			line.Text, line.End, line.Last = body[start:end], body[end:next], next == len(body)
			if !yield(&line) {
				return
			}
			start = next
		}
	}
}

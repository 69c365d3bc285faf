package robots

import (
	"bytes"
	"cmp"
	"encoding/binary"
)

// MaxSize is the number of bytes of a robots.txt that count: 500 KiB, the least
// that RFC 9309 §2.5 asks a crawler to read.
const MaxSize = 500 << 10

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\xEF\xBB\xBF"

// Parse reads a robots.txt. It never fails: what can be read counts, the rest is
// skipped. Only the first [MaxSize] bytes of body are read, and a line that
// stands only partly within them is not; [File.Truncated] tells. The result does
// not refer to body.
func Parse(body []byte) *File {
	body, truncated := truncate(body)
	// Half of all files fit in here, and then leave it for arrays of their size.
	var room struct {
		text    [1024]byte
		rules   [48]rule
		tags    [48]tag
		agents  [4]agent
		records [4]record
	}
	p := parser{
		text: room.text[:0], rules: room.rules[:0], tags: room.tags[:0], agents: room.agents[:0], records: room.records[:0],
		group: noGroup,
	}
	if len(body) > len(room.text) {
		p.text = make([]byte, 0, len(body))
	}
	if lines := bytes.Count(body, []byte("\n")); lines > len(room.rules) {
		p.rules, p.tags = make([]rule, 0, lines), make([]tag, 0, lines)
	}
	p.lines(body[markSize(body):])
	p.endGroup()
	return p.compile(truncated)
}

// markSize returns how many octets of a byte order mark body begins with. A part of
// one is skipped as well, as Google's parser does.
func markSize(body []byte) (n int) {
	for n < len(byteOrderMark) && n < len(body) && body[n] == byteOrderMark[n] {
		n++
	}
	return n
}

// truncate cuts body to the whole lines within its first MaxSize bytes.
func truncate(body []byte) (_ []byte, truncated bool) {
	if len(body) <= MaxSize {
		return body, false
	}
	if next := body[MaxSize]; next == '\n' || next == '\r' {
		return body[:MaxSize], true
	}
	body = body[:MaxSize]
	return body[:bytes.LastIndexAny(body, "\r\n")+1], true
}

// A parser reads the lines of one file in order, into what becomes the fields of
// a File.
type parser struct {
	text       []byte
	rules      []rule
	tags       []tag
	agents     []agent
	records    []record
	spellings  []spelling
	longGroups [][2]uint32 // the first rule of each, and that past its last

	line       uint32 // the current one, from 1
	group      int32  // the current one, or noGroup before the first
	firstAgent int    // of the current group
	undelayed  int    // the group's first agent without a crawl-delay
	naming     bool   // within its list of agents: no rule has ended that
}

func (p *parser) lines(body []byte) {
	lines := cutter{body: body, lineFeed: -1}
	for start, end := 0, 0; start < len(body); start = lines.next(end) {
		p.line++
		size, ok := p.ordinaryLine(body[start:])
		end = start + size
		if !ok {
			end = lines.end(start)
			p.parseLine(body[start:end])
		}
	}
}

// A cutter tells where the lines of a body end: at LF, CR or CRLF.
type cutter struct {
	body     []byte
	lineFeed int // the last one found, which may be many carriage returns ahead
}

// end returns the end of the line that begins at start. Lines are asked for in
// their order.
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

// next returns the start of the line after the one that ends at end.
func (c *cutter) next(end int) int {
	if end+1 < len(c.body) && c.body[end] == '\r' && c.body[end+1] == '\n' {
		end++
	}
	return end + 1
}

// ordinaryLine reads the line that body begins with if it is as most are: blank,
// or a rule that is spelled right, with a pattern in normal form and nothing
// else. It does what parseLine would have done, in a single pass.
func (p *parser) ordinaryLine(body []byte) (size int, ok bool) {
	value, allow := 0, false
	switch {
	case body[0] == '\n' || body[0] == '\r':
		return 0, true
	case len(body) < 9 || p.group == noGroup:
		return 0, false
	case binary.LittleEndian.Uint64(body)|caseBits == disallowWord && body[8] == ':':
		value = len("disallow:")
	case binary.LittleEndian.Uint64(body)<<24|caseBits == allowWord && body[5] == ':':
		value, allow = len("allow:"), true
	default:
		return 0, false
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
		return 0, false
	}
	p.naming = false
	if value < end {
		p.text = append(p.text, body[value:end]...)
		p.addRule(allow, end-value, literal, body[end-1] == '$')
	}
	return end, true
}

func (p *parser) parseLine(line []byte) {
	if key, value, ok := cutLine(line); ok {
		p.addLine(classify(key), key, value)
	}
}

// addLine adds a line with a key of that kind.
func (p *parser) addLine(kind kind, key, value []byte) {
	switch kind {
	case allow, disallow:
		p.addWrittenRule(kind == allow, value)
	case userAgent:
		p.addUserAgent(value)
	case crawlDelay:
		p.setDelay(parseDelay(string(value)))
		p.addRecord(kind, key, value)
	case requestRate:
		p.setDelay(parseRate(string(value)))
		p.addRecord(kind, key, value)
	default:
		p.addRecord(kind, key, value)
	}
}

// cutLine splits a line into the key and the value it holds. A known key may
// lack its colon if the line is exactly two words.
func cutLine(line []byte) (key, value []byte, ok bool) {
	if comment := bytes.IndexByte(line, '#'); comment >= 0 {
		line = line[:comment]
	}
	line = trim(line)
	if colon := bytes.IndexByte(line, ':'); colon >= 0 {
		key = trim(line[:colon])
		return key, trim(line[colon+1:]), len(key) > 0
	}
	blank := bytes.IndexAny(line, " \t")
	if blank < 0 {
		return nil, nil, false
	}
	key, value = trim(line[:blank]), bytes.TrimLeft(line[blank:], " \t")
	return key, trim(value), !bytes.ContainsAny(value, " \t") && classify(key) != other
}

func (p *parser) addUserAgent(value []byte) {
	if !p.naming {
		p.endGroup()
		p.group++
		p.naming = true
		p.firstAgent, p.undelayed = len(p.agents), len(p.agents)
	}
	long, short := tokens(value)
	p.addAgent(long)
	if len(short) < len(long) {
		p.addAgent(short)
	}
}

func (p *parser) addAgent(token []byte) {
	if len(token) > 0 {
		p.agents = append(p.agents, agent{token: p.keep(token), group: p.group, first: uint32(len(p.rules)), delay: noDelay})
	}
}

// endGroup gives the rules of the current group to its agents.
func (p *parser) endGroup() {
	named := p.agents[p.firstAgent:]
	for i := range named {
		named[i].end = uint32(len(p.rules))
	}
	if len(named) > 0 && named[0].end-named[0].first > longGroup {
		p.longGroups = append(p.longGroups, [2]uint32{named[0].first, named[0].end})
	}
}

// addWrittenRule adds a rule to the current group, whose list of agents it ends even if
// it is empty.
func (p *parser) addWrittenRule(allow bool, value []byte) {
	if p.group == noGroup {
		return
	}
	p.naming = false
	if len(value) == 0 {
		return
	}
	start := len(p.text)
	p.text = appendNormal(p.text, value, true)
	if !bytes.Equal(p.text[start:], value) {
		p.spellings = append(p.spellings, spelling{p.line, string(value)})
	}
	p.addRule(allow, len(p.text)-start, 0, value[len(value)-1] == '$')
}

// addRule adds a rule whose pattern is the last size bytes of the text. The first
// literal of them are known not to be wildcards.
func (p *parser) addRule(allow bool, size, literal int, anchored bool) {
	pattern := p.text[len(p.text)-size:]
	var wild bool
	var inner tag
	if literal < size {
		literal = size
		if anchored {
			literal--
		}
		if star := bytes.IndexByte(pattern, '*'); star >= 0 {
			inner = innerTagOf(pattern[star+1 : literal])
			literal, wild = star, true
		}
	}
	p.rules = append(p.rules, newRule(p.since(len(p.text)-size), p.line, allow, wild, anchored))
	p.tags = append(p.tags, cmp.Or(tagOf(pattern[:literal]), inner))
}

// setDelay gives a crawl-delay to those agents of the current group that have none
// yet.
func (p *parser) setDelay(d milliseconds) {
	if p.group == noGroup || d == noDelay {
		return
	}
	for ; p.undelayed < len(p.agents); p.undelayed++ {
		p.agents[p.undelayed].delay = d
	}
}

func (p *parser) addRecord(kind kind, key, value []byte) {
	p.records = append(p.records, record{
		key: p.keep(key), value: p.keep(value), line: p.line, group: p.group, kind: kind,
	})
}

// keep stores b in the file's text.
func (p *parser) keep(b []byte) span {
	p.text = append(p.text, b...)
	return p.since(len(p.text) - len(b))
}

func (p *parser) since(start int) span {
	return span{at: uint32(start), size: uint32(len(p.text) - start)}
}

// compile returns what was read as a File.
func (p *parser) compile(truncated bool) *File {
	f := &File{
		text:      string(p.text),
		rules:     exactly(p.rules),
		tags:      exactly(p.tags),
		records:   exactly(p.records),
		spellings: exactly(p.spellings),
		truncated: truncated,
	}
	f.agents = append(f.single[:0], p.agents...)
	f.sortAgents()
	for _, group := range p.longGroups {
		f.indexes = append(f.indexes, p.buildIndex(f, group[0], group[1]))
	}
	f.bytes = int32(f.measure())
	return f
}

// exactly returns a copy of s that is no larger than it has to be.
func exactly[T any](s []T) []T { return append([]T(nil), s...) }

// trim drops ASCII white space from both ends of b.
func trim(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r'
}

// The keys of rules as words, to be compared at once. The bits that tell upper
// from lower case are set.
const (
	caseBits     = 0x2020202020202020
	disallowWord = 'd' | 'i'<<8 | 's'<<16 | 'a'<<24 | 'l'<<32 | 'l'<<40 | 'o'<<48 | 'w'<<56
	allowWord    = 0x202020 | 'a'<<24 | 'l'<<32 | 'l'<<40 | 'o'<<48 | 'w'<<56
)

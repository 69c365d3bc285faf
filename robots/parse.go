package robots

import "bytes"

// MaxSize is the number of bytes of a robots.txt that count: 500 KiB, the least
// that RFC 9309 §2.5 asks a crawler to read.
const MaxSize = 500 << 10

// Parse reads a robots.txt. It never fails: what can be read counts, the rest is
// skipped. Only the first [MaxSize] bytes of body are read, and a line that
// stands only partly within them is not; [File.Truncated] tells. The result does
// not refer to body.
func Parse(body []byte) *File {
	body, truncated := truncate(body)
	p := parser{file: &File{truncated: truncated}}
	p.lines(bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")))
	return p.finish()
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

// A parser reads the lines of one file in order.
type parser struct {
	file *File
	text []byte // becomes file.text
	line uint32 // the current line, from 1

	group     int32 // the current group; -1 before the first
	naming    bool  // within the group's list of agents: no rule has ended it
	undelayed int   // agents before this one have their crawl-delay
}

func (p *parser) lines(body []byte) {
	p.group = noGroup
	for len(body) > 0 {
		end := 0
		for end < len(body) && body[end] != '\n' && body[end] != '\r' {
			end++
		}
		p.line++
		p.parseLine(body[:end])
		if bytes.HasPrefix(body[end:], []byte("\r\n")) {
			end++
		}
		body = body[min(end+1, len(body)):]
	}
}

func (p *parser) parseLine(line []byte) {
	key, value, ok := cutLine(line)
	if !ok {
		return
	}
	switch kind := classify(key); kind {
	case allow, disallow:
		p.rule(kind == allow, value)
	case userAgent:
		p.userAgent(value)
	case crawlDelay:
		p.delay(parseDelay(string(value)))
		p.record(kind, key, value)
	case requestRate:
		p.delay(parseRate(string(value)))
		p.record(kind, key, value)
	default:
		p.record(kind, key, value)
	}
}

// cutLine splits a line into the key and the value it holds. A known key may
// lack its colon if the line is exactly two words.
func cutLine(line []byte) (key, value []byte, ok bool) {
	line, _, _ = bytes.Cut(line, []byte("#"))
	line = trim(line)
	if key, value, ok = bytes.Cut(line, []byte(":")); ok {
		key = trim(key)
		return key, trim(value), len(key) > 0
	}
	blank := bytes.IndexAny(line, " \t")
	if blank < 0 {
		return nil, nil, false
	}
	key, value = line[:blank], bytes.TrimLeft(line[blank:], " \t")
	return key, value, bytes.IndexAny(value, " \t") < 0 && classify(key) != other
}

func (p *parser) userAgent(value []byte) {
	if !p.naming {
		p.group++
		p.naming = true
		p.undelayed = len(p.file.agents)
		p.file.groups = append(p.file.groups, uint32(len(p.file.rules)))
	}
	long, short := tokens(value)
	p.agent(long)
	if len(short) < len(long) {
		p.agent(short)
	}
}

func (p *parser) agent(token []byte) {
	if len(token) > 0 {
		p.file.agents = append(p.file.agents, agent{token: p.keep(token), group: p.group, delay: noDelay})
	}
}

// rule adds a rule to the current group, whose list of agents it ends even if it
// is empty.
func (p *parser) rule(allow bool, value []byte) {
	if p.group == noGroup {
		return
	}
	p.naming = false
	if len(value) == 0 {
		return
	}
	start := len(p.text)
	p.text = appendPattern(p.text, value)
	if !bytes.Equal(p.text[start:], value) {
		p.file.spellings = append(p.file.spellings, spelling{rule: uint32(len(p.file.rules)), text: string(value)})
	}
	p.file.rules = append(p.file.rules, rule{
		pattern:  p.since(start),
		line:     p.line,
		allow:    allow,
		anchored: value[len(value)-1] == '$',
	})
}

// delay gives a crawl-delay to those agents of the current group that have none
// yet.
func (p *parser) delay(d milliseconds) {
	if p.group == noGroup || d == noDelay {
		return
	}
	for ; p.undelayed < len(p.file.agents); p.undelayed++ {
		p.file.agents[p.undelayed].delay = d
	}
}

func (p *parser) record(kind kind, key, value []byte) {
	p.file.records = append(p.file.records, record{
		key: p.keep(key), value: p.keep(value), line: p.line, group: p.group, kind: kind,
	})
}

// keep stores b in the file's text.
func (p *parser) keep(b []byte) span {
	start := len(p.text)
	p.text = append(p.text, b...)
	return p.since(start)
}

func (p *parser) since(start int) span {
	return span{at: uint32(start), size: uint32(len(p.text) - start)}
}

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

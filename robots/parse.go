package robots

import (
	"iter"
	"sync"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// Parse reads a robots.txt. It never fails: it skips lines that it cannot read. It reads
// only whole lines within the first [MaxSize] bytes. If body is longer, [File.Truncated]
// returns true. The result does not refer to body.
func Parse(body []byte) *File {
	body, truncated := syntax.Truncate(body)
	p := parsers.Get().(*parser)
	f := p.parse(body, truncated)
	if p.reset(); p.room() <= mostRoom {
		parsers.Put(p)
	}
	return f
}

// A parser reads the lines of one file in order, and collects the fields of its File.
type parser struct {
	builder match.Builder
	agents  []agent
	order   []uint64 // of agents: see keepAgents
	records []record

	line       uint32 // the current one, from 1
	group      int32  // the current one, or noGroup before the first
	firstAgent int    // of the current group
	undelayed  int    // the group's first agent without a crawl-delay
	naming     bool   // the group's list of agents may go on: no rule has ended it

	usage *usageParser // nil until a record says something about use
}

// parsers keep their room for the next file: otherwise Parse takes 1.26 times as long.
var parsers = sync.Pool{New: func() any { return &parser{group: noGroup} }}

// mostRoom is the number of bytes that a parser may have room for if it is used again. No real file is known
// to need more than 0.7 MB, and hostile files need up to 9.5 MB.
const mostRoom = 1 << 20

// room returns the number of bytes that p has room for.
func (p *parser) room() int {
	return p.builder.Room() + match.SizeOf(p.agents) + match.SizeOf(p.order) + match.SizeOf(p.records)
}

// reset makes p ready for the next file.
func (p *parser) reset() {
	p.builder.Reset()
	*p = parser{builder: p.builder, agents: p.agents[:0], order: p.order[:0], records: p.records[:0], group: noGroup}
}

// parse reads a body. Truncated says that it was longer.
func (p *parser) parse(body []byte, truncated bool) *File {
	p.lines(body[syntax.MarkSize(body):])
	p.endGroup()
	return p.file(truncated)
}

// lines reads the lines of body.
func (p *parser) lines(body []byte) {
	for line := range syntax.Lines(body) {
		p.line++
		if line.IsPlain {
			p.addPlain(line.Plain, line.Text)
		} else {
			p.parseLine(line.Text)
		}
	}
}

// addPlain adds a plain line.
func (p *parser) addPlain(plain syntax.Plain, line []byte) {
	value := line[plain.Value:]
	switch {
	case plain.IsRule() && p.group != noGroup:
		p.naming = false
		if len(value) > 0 {
			p.builder.AddPlain(p.line, plain.Kind == syntax.Allow, value, plain.Literal)
		}
	case plain.Kind == syntax.UserAgent:
		p.addUserAgent(syntax.Tokens(value))
	case plain.Kind == syntax.Sitemap:
		p.addRecord(plain.Kind, line[:len("sitemap")], value)
	}
}

func (p *parser) parseLine(line []byte) {
	key, value, ok := syntax.Split(line)
	if !ok {
		if kind, key, value := syntax.SplitMeantUsage(line); kind != syntax.Other {
			p.addUsageSlip(kind, key, value)
		}
		return
	}
	switch kind := syntax.Classify(key); kind {
	case syntax.Allow, syntax.Disallow:
		p.addRule(kind == syntax.Allow, value)
	case syntax.UserAgent:
		p.addUserAgent(syntax.Tokens(value))
	case syntax.CrawlDelay:
		p.setDelay(syntax.ParseDelay(string(value)))
		p.addRecord(kind, key, value)
	case syntax.RequestRate:
		p.setDelay(syntax.ParseRate(string(value)))
		p.addRecord(kind, key, value)
	case syntax.Other:
		p.addOther(key, value)
	default:
		p.addRecord(kind, key, value)
	}
}

func (p *parser) addOther(key, value []byte) {
	kind := syntax.ClassifyUsage(key)
	p.addRecord(kind, key, value)
	if kind != syntax.Other {
		p.addUsage(kind, value)
	} else if meant := syntax.MeantUsage(key); meant != syntax.Other {
		p.addUsageSlip(meant, key, value)
	}
}

// addUsage notes what the last record says about use. Only this function decides whether
// a content-usage line is a rule. It is none: it does not end the list of agents, and a
// group with only such lines has no rules. The draft calls it a rule
// (draft-ietf-aipref-attach-05 §3), and may yet say what this means for groups.
func (p *parser) addUsage(kind syntax.Kind, value []byte) {
	if p.usage == nil {
		p.usage = new(usageParser)
	}
	p.usage.add(kind, p.group, p.line, uint32(len(p.records)-1), string(value))
}

// addUsageSlip notes a line that says nothing about use, and is meant to. A path in it may
// be a slip as well, so it is left out.
func (p *parser) addUsageSlip(kind syntax.Kind, key, value []byte) {
	if len(value) == 0 || value[0] == '/' {
		return
	}
	if p.usage == nil {
		p.usage = new(usageParser)
	}
	if len(p.usage.slips) == mostSlips {
		return
	}
	p.usage.slips = append(p.usage.slips, record{p.builder.Keep(key), p.builder.Keep(value), p.line, p.group, kind})
}

// addUserAgent adds a user-agent line. It names the product token long. A crawler whose
// own token is as in RFC 9309 reads it as short.
func (p *parser) addUserAgent(long, short []byte) {
	if !p.naming {
		p.endGroup()
		p.group++
		p.naming = true
		p.firstAgent, p.undelayed = len(p.agents), len(p.agents)
	}
	p.addAgent(long, false)
	if len(short) < len(long) {
		p.addAgent(short, true)
	}
}

func (p *parser) addAgent(token []byte, short bool) {
	if len(token) > 0 {
		key, section := keyOf(match.View(token)), match.Section{First: uint32(len(p.builder.Rules))}
		p.order = append(p.order, uint64(key)<<32|uint64(len(p.agents)))
		p.agents = append(p.agents, agent{p.builder.Keep(token), key, p.group, section, syntax.NoDelay, short})
	}
}

// endGroup gives the rules of the current group to its agents.
func (p *parser) endGroup() {
	named := p.agents[p.firstAgent:]
	for i := range named {
		named[i].section.End = uint32(len(p.builder.Rules))
	}
	if len(named) > 0 {
		p.builder.EndGroup(named[0].section)
	}
}

// addRule adds a rule to the current group. It ends the group's list of agents, even if
// the rule has no pattern.
func (p *parser) addRule(allow bool, pattern []byte) {
	if p.group == noGroup {
		return
	}
	p.naming = false
	if len(pattern) > 0 {
		p.builder.Add(p.line, allow, pattern)
	}
}

// setDelay gives a crawl-delay to the agents of the current group that have none yet.
func (p *parser) setDelay(d syntax.Delay) {
	if p.group == noGroup || d == syntax.NoDelay {
		return
	}
	for ; p.undelayed < len(p.agents); p.undelayed++ {
		p.agents[p.undelayed].delay = d
	}
}

func (p *parser) addRecord(kind syntax.Kind, key, value []byte) {
	p.records = append(p.records, record{
		key: p.builder.Keep(key), value: p.builder.Keep(value), line: p.line, group: p.group, kind: kind,
	})
}

// file returns what was read.
func (p *parser) file(truncated bool) *File {
	f := &File{records: append([]record(nil), p.records...), truncated: truncated}
	p.builder.Build(&f.set, match.Text(p.builder.Text))
	f.keepAgents(p.agents, p.order)
	f.usage = p.usage.build()
	f.bytes = int32(f.measure())
	return f
}

// A usageParser collects what the records of a file say about use.
type usageParser struct {
	paths  match.Builder
	all    []uint32
	groups []usageGroup
	slips  []record
}

// mostSlips is how many slips a file keeps. Few have one.
const mostSlips = 100

// add adds the record at an index of File.records.
func (p *usageParser) add(kind syntax.Kind, group int32, line, index uint32, value string) {
	if kind == syntax.ContentSignal {
		p.in(group).end++
		p.all = append(p.all, index)
		return
	}
	switch path, _, ok := syntax.SplitUsage(value); {
	case !ok: // it says nothing
	case path == "":
		p.in(group).end++
		p.all = append(p.all, index)
	default:
		p.in(group).paths.End++
		p.paths.Add(line, false, []byte(path))
	}
}

// in returns what the current group says.
func (p *usageParser) in(group int32) *usageGroup {
	if n := len(p.groups); n == 0 || p.groups[n-1].group != group {
		rules, all := uint32(len(p.paths.Rules)), uint32(len(p.all))
		p.groups = append(p.groups, usageGroup{group, match.Section{First: rules, End: rules}, all, all})
	}
	return &p.groups[len(p.groups)-1]
}

// build returns what was collected. It returns nil if no record says anything.
func (p *usageParser) build() *usage {
	if p == nil || len(p.groups)+len(p.slips) == 0 {
		return nil
	}
	u := &usage{all: append([]uint32(nil), p.all...), groups: append([]usageGroup(nil), p.groups...), slips: append([]record(nil), p.slips...)}
	for _, g := range p.groups {
		p.paths.EndGroup(g.paths)
	}
	p.paths.Build(&u.paths, match.Text(p.paths.Text))
	return u
}

// MaxSize is the number of bytes of a robots.txt that Parse reads: 500 KiB. RFC 9309
// §2.5 asks a crawler to read at least as much.
const MaxSize = syntax.MaxSize

// Lines returns the lines of a robots.txt with their numbers, from 1, as Parse reads
// them: without line ends, and only those within the first [MaxSize] bytes.
func Lines(body []byte) iter.Seq2[int, []byte] {
	body, _ = syntax.Truncate(body)
	return func(yield func(int, []byte) bool) {
		for line := range syntax.Lines(body[syntax.MarkSize(body):]) {
			if !yield(line.Number, line.Text) {
				return
			}
		}
	}
}

// A Record is a line of the file that is neither a user-agent line nor a rule.
type Record struct {
	Key   string // as written
	Value string // as written, without the comment and the white space around it
	Line  int    // from 1
}

// A record is a Record as a File keeps it.
type record struct {
	key, value match.Span
	line       uint32
	group      int32 // its group, or noGroup
	kind       syntax.Kind
}

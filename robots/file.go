package robots

import (
	"iter"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// A File is what one robots.txt says, to every crawler. [Parse] makes it. It
// does not change, and is safe for concurrent use.
type File struct {
	text      string // all that spans refer to
	rules     []rule // in the order of the file, which is by group
	groups    []uint32
	agents    []agent // by token, then group
	records   []record
	spellings []spelling // by rule
	truncated bool
}

// A span is a part of File.text.
type span struct{ at, size uint32 }

// A rule is an allow or disallow line. Its pattern is in normal form.
type rule struct {
	pattern  span
	line     uint32
	allow    bool
	anchored bool // the pattern's final "$" is an anchor
}

// An agent says that a group speaks to a product token.
type agent struct {
	token span
	group int32
	delay milliseconds
}

const noGroup = -1

// A record is any line with a key that is neither an agent nor a rule.
type record struct {
	key, value span
	line       uint32
	group      int32 // the one it stands in, or noGroup
	kind       kind
}

// A spelling is a rule's pattern as written, where that is not the normal form.
type spelling struct {
	rule uint32
	text string
}

func (p *parser) finish() *File {
	f := p.file
	f.text = string(p.text)
	slices.SortStableFunc(f.agents, func(a, b agent) int {
		return compareFold(f.str(a.token), f.str(b.token))
	})
	return f
}

func (f *File) str(s span) string { return f.text[s.at:][:s.size] }

// rulesOf returns the index of the first rule of group and that past its last.
func (f *File) rulesOf(group int32) (first, end int) {
	if int(group)+1 < len(f.groups) {
		return int(f.groups[group]), int(f.groups[group+1])
	}
	return int(f.groups[group]), len(f.rules)
}

// Truncated reports whether the file was longer than [MaxSize].
func (f *File) Truncated() bool { return f.truncated }

// Size returns about how many bytes of memory the file takes.
func (f *File) Size() int {
	n := int(unsafe.Sizeof(*f)) + len(f.text)
	n += cap(f.rules)*int(unsafe.Sizeof(rule{})) + cap(f.groups)*int(unsafe.Sizeof(uint32(0)))
	n += cap(f.agents)*int(unsafe.Sizeof(agent{})) + cap(f.records)*int(unsafe.Sizeof(record{}))
	for _, s := range f.spellings {
		n += int(unsafe.Sizeof(s)) + len(s.text)
	}
	return n
}

// Allowed reports whether a crawler with the product token agent may fetch
// target, which is a URL or its path with the query. It is short for
// f.Rules(agent).Allowed(target).
func (f *File) Allowed(agent, target string) bool {
	return f.Rules(agent).Allowed(target)
}

// Rules returns the rules that speak to a crawler with these product tokens,
// most specific first: those of the first token that the file names, else those
// for "*", else none (RFC 9309 §2.2.1). Tokens are compared as they are given;
// [ProductToken] extracts one from a user agent.
func (f *File) Rules(agents ...string) Rules {
	for _, token := range agents {
		if rules := f.lookup(token); rules.file != nil {
			return rules
		}
	}
	if rules := f.lookup("*"); rules.file != nil {
		return rules
	}
	return Rules{file: f}
}

// lookup returns the rules of the groups for token, or zero Rules if the file
// does not name it.
func (f *File) lookup(token string) Rules {
	first, ok := slices.BinarySearchFunc(f.agents, token, func(a agent, token string) int {
		return compareFold(f.str(a.token), token)
	})
	if !ok {
		return Rules{}
	}
	end := first + 1
	for end < len(f.agents) && compareFold(f.str(f.agents[end].token), token) == 0 {
		end++
	}
	return Rules{file: f, agents: f.agents[first:end]}
}

// A Record is a line of the file that is neither a user-agent nor a rule.
type Record struct {
	Key   string // as written
	Value string // as written, without comment and surrounding white space
	Line  int    // from 1
}

// Records returns the records of the file that are in or outside any group,
// in its order: sitemap, crawl-delay, content-signal, host, and all others.
func (f *File) Records() iter.Seq[Record] {
	return f.recordsIf(func(record) bool { return true })
}

// Sitemaps returns the values of the file's sitemap records, as written, in its
// order. They should be absolute URLs, of any host, and belong to no group.
func (f *File) Sitemaps() iter.Seq[string] {
	return func(yield func(string) bool) {
		for r := range f.recordsIf(func(r record) bool { return r.kind == sitemap && r.value.size > 0 }) {
			if !yield(r.Value) {
				return
			}
		}
	}
}

func (f *File) recordsIf(want func(record) bool) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, r := range f.records {
			if want(r) && !yield(Record{f.str(r.key), f.str(r.value), int(r.line)}) {
				return
			}
		}
	}
}

// Rules are the part of a [File] that speaks to one crawler. The zero Rules
// allow everything. Rules are safe for concurrent use.
type Rules struct {
	file   *File
	agents []agent // one per group, all of the same token
}

// Agent returns the token of the group that speaks, as the file writes it; "*"
// for the group that speaks to all others; "" if no group does.
func (r Rules) Agent() string {
	if len(r.agents) == 0 {
		return ""
	}
	return r.file.str(r.agents[0].token)
}

// CrawlDelay returns the time that the site asks the crawler to leave between
// the starts of two requests, from crawl-delay and request-rate, and whether it
// asks for one. It is of a millisecond's precision and never more than 30 days:
// values that are negative, larger or not numbers do not count. Where groups
// are merged, the largest does. RFC 9309 knows no such record.
func (r Rules) CrawlDelay() (delay time.Duration, ok bool) {
	for _, a := range r.agents {
		if a.delay != noDelay {
			delay, ok = max(delay, a.delay.duration()), true
		}
	}
	return delay, ok
}

// Records returns the records that stand in the crawler's groups, such as
// content-signal and content-usage, in the order of the file.
func (r Rules) Records() iter.Seq[Record] {
	if r.file == nil {
		return func(func(Record) bool) {}
	}
	return r.file.recordsIf(func(rec record) bool {
		return rec.kind != sitemap && slices.ContainsFunc(r.agents, func(a agent) bool { return a.group == rec.group })
	})
}

// A Rule is an allow or disallow line.
type Rule struct {
	Allow   bool
	Pattern string // as written
	Line    int    // from 1
}

// String returns the rule as a line of robots.txt.
func (r Rule) String() string {
	var b strings.Builder
	if r.Allow {
		b.WriteString("allow: ")
	} else {
		b.WriteString("disallow: ")
	}
	b.WriteString(r.Pattern)
	return b.String()
}

func (f *File) rule(i int) Rule {
	r := f.rules[i]
	pattern := f.str(r.pattern)
	if at, ok := slices.BinarySearchFunc(f.spellings, uint32(i), func(s spelling, i uint32) int { return int(s.rule) - int(i) }); ok {
		pattern = f.spellings[at].text
	}
	return Rule{Allow: r.allow, Pattern: pattern, Line: int(r.line)}
}

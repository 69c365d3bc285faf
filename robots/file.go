package robots

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// Truncated reports whether the file was longer than [MaxSize].
func (f *File) Truncated() bool { return f.truncated }

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
		if named := f.lookup(token); len(named) > 0 {
			return Rules{f, named}
		}
	}
	end := 0 // of the agents "*", which come first
	for end < len(f.agents) && f.agents[end].key == everyone {
		end++
	}
	return Rules{f, f.agents[:end]}
}

// lookup returns the groups for token.
func (f *File) lookup(token string) []agent {
	key := keyOf(token)
	first, end := 0, len(f.agents)
	for first < end {
		if middle := int(uint(first+end) / 2); f.precedes(middle, key, token) {
			first = middle + 1
		} else {
			end = middle
		}
	}
	for end = first; end < len(f.agents) && f.agents[end].key == key && f.names(end, token); end++ {
	}
	return f.agents[first:end]
}

// precedes reports whether the agent at i comes before those for a token that has
// that key.
func (f *File) precedes(i int, key key, token string) bool {
	if a := &f.agents[i]; a.key != key {
		return a.key < key
	}
	named := f.str(f.agents[i].token)
	return named != token && compareFold(named, token) < 0
}

// names reports whether the agent at i has the token.
func (f *File) names(i int, token string) bool {
	named := f.str(f.agents[i].token)
	return named == token || compareFold(named, token) == 0
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
// values that are negative, larger or not numbers do not count. Of several in a
// group the first counts, and where groups are merged, the largest. RFC 9309 knows
// no such record.
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
		_, ours := slices.BinarySearchFunc(r.agents, rec.group, func(a agent, group int32) int { return cmp.Compare(a.group, group) })
		return ours && rec.kind != sitemap
	})
}

// A Rule is an allow or disallow line.
type Rule struct {
	Allow   bool
	Pattern string // as written
	Line    int    // from 1
}

// String returns the rule as a line of robots.txt, or "" for the zero Rule. Its
// pattern is the site's text: %q prints it so that nothing of it acts on a terminal.
func (r Rule) String() string {
	if r == (Rule{}) {
		return ""
	}
	if r.Allow {
		return "allow: " + r.Pattern
	}
	return "disallow: " + r.Pattern
}

func (f *File) describe(r rule) Rule {
	pattern := f.str(r.pattern())
	if i, ok := slices.BinarySearchFunc(f.spellings, r.line(), func(s spelling, line uint32) int { return int(s.line) - int(line) }); ok {
		pattern = f.spellings[i].text
	}
	return Rule{Allow: r.allow(), Pattern: pattern, Line: int(r.line())}
}

package robots

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// Rules are the part of a [File] that applies to one crawler: [File.Rules] returns
// them. The zero Rules allow everything. Rules are safe for concurrent use.
type Rules struct {
	file   *File
	agents []agent // one per group, all of the same token
}

// Rules returns the rules that apply to a crawler. Give its product tokens, the most
// specific first: the first one that the file names decides. If the file names none of
// them, the rules for "*" apply. If there are none either, everything is allowed (RFC
// 9309 §2.2.1). [ProductToken] gets the token out of a user agent.
func (f *File) Rules(agents ...string) Rules {
	end := 0 // of the agents "*", which come first
	for end < len(f.agents) && f.agents[end].key == everyone {
		end++
	}
	if end == len(f.agents) {
		return Rules{f, f.agents} // as in most files
	}
	for _, token := range agents {
		if named := f.lookup(token); len(named) > 0 {
			return Rules{f, named}
		}
	}
	return Rules{f, f.agents[:end]}
}

// Agent returns the product token of the group that applies, as the file writes it. It
// returns "*" if this is the group for all other crawlers, and "" if no group applies.
func (r Rules) Agent() string {
	if len(r.agents) == 0 {
		return ""
	}
	return r.file.str(r.agents[0].token)
}

// CrawlDelay returns the time that the site asks the crawler to leave between the
// starts of two requests. If the site does not ask, ok is false. The time comes from
// crawl-delay and request-rate records, in whole milliseconds. A value that is
// negative, more than 30 days or not a number is ignored. If a group has several
// values, the first counts. If several groups apply, the longest value counts. RFC 9309
// knows no such record.
func (r Rules) CrawlDelay() (delay time.Duration, ok bool) {
	for _, a := range r.agents {
		if a.delay != syntax.NoDelay {
			delay, ok = max(delay, a.delay.Duration()), true
		}
	}
	return delay, ok
}

// Records returns the records in the crawler's groups, such as content-signal and
// content-usage, in the order of the file. It returns no sitemap: a sitemap belongs to
// no group.
func (r Rules) Records() iter.Seq[Record] {
	if r.file == nil {
		return func(func(Record) bool) {}
	}
	return r.file.recordsIf(func(rec record) bool {
		_, ours := slices.BinarySearchFunc(r.agents, rec.group, func(a agent, group int32) int { return cmp.Compare(a.group, group) })
		return ours && rec.kind != syntax.Sitemap
	})
}

// All returns the rules that apply, in the order of the file. It leaves out rules with an
// empty pattern, which have no effect.
func (r Rules) All() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for _, a := range r.agents {
			for _, rule := range r.file.set.Rules[a.section.First:a.section.End] {
				if !yield(r.file.describe(rule)) {
					return
				}
			}
		}
	}
}

func (f *File) describe(r match.Rule) Rule {
	return Rule{Allow: r.Allow(), Pattern: f.set.Written(r), Line: int(r.Line())}
}

// A Rule is an allow or disallow line with a pattern. The zero Rule is none.
type Rule struct {
	Allow   bool
	Pattern string // as written
	Line    int    // from 1
}

// String returns the rule as a line of robots.txt, or "" for the zero Rule. The
// pattern is text that the site wrote: print it with %q where it must not act on a
// terminal.
func (r Rule) String() string {
	if r == (Rule{}) {
		return ""
	}
	if r.Allow {
		return "allow: " + r.Pattern
	}
	return "disallow: " + r.Pattern
}

// Len returns the length of the pattern as precedence counts it (RFC 9309 §2.2.2): the
// number of octets of its normal form, with "*" and "$".
func (r Rule) Len() int { return len(syntax.AppendNormal(nil, r.Pattern, true)) }

// lookup returns the agents for token, one for each group that names it.
func (f *File) lookup(token string) []agent {
	key := keyOf(token)
	first := sort.Search(len(f.agents), func(i int) bool { return f.compare(&f.agents[i], key, token) >= 0 })
	end := first
	for end < len(f.agents) && f.compare(&f.agents[end], key, token) == 0 {
		end++
	}
	return f.agents[first:end]
}

// compare orders an agent and a token, which has a key: by their keys, and only if these are equal by
// the tokens.
func (f *File) compare(a *agent, key key, token string) int {
	if a.key != key {
		return cmp.Compare(a.key, key)
	}
	return syntax.CompareFold(f.str(a.token), token)
}

// An agent is one product token that a group names.
type agent struct {
	token   match.Span
	key     key // of token
	group   int32
	section match.Section // the group's rules
	delay   syntax.Delay
	short   bool // its token shortens the one that the line has: see syntax.Tokens
}

// A key tells most product tokens apart: it is the length of a token and three of its characters. The
// characters have the bit 0x20, so that tokens which differ in case alone have the same key.
type key uint32

// everyone is the key of "*". It comes before the keys of all other tokens.
const everyone key = 1<<24 | '*'<<16 | '*'<<8 | '*'

func keyOf(token string) key {
	n := len(token)
	if n == 0 {
		return 0
	}
	return key(min(n, 0xFF))<<24 | key(token[0])<<16 | key(token[n/2])<<8 | key(token[n-1]) | 0x202020
}

// noGroup stands for the group of a line before the first user-agent line.
const noGroup = -1

// keepAgents keeps agents sorted by their keys, then by their tokens. So all groups for a token stand
// together, "*" first. Order has a number for each agent: its key, and below it its index in named. If a
// group names a token twice, keepAgents keeps one agent, with the delay of the first. Its token is as a
// line writes it, if possible, and not shortened.
func (f *File) keepAgents(named []agent, order []uint64) {
	slices.SortFunc(order, func(i, j uint64) int {
		if i>>32 == j>>32 {
			if tokens := syntax.CompareFold(f.str(named[uint32(i)].token), f.str(named[uint32(j)].token)); tokens != 0 {
				return tokens
			}
		}
		return cmp.Compare(i, j)
	})
	f.agents = slices.Grow(f.single[:0], len(named))
	for _, i := range order {
		a := &named[uint32(i)]
		if n := len(f.agents); n == 0 || f.agents[n-1].group != a.group || f.compare(&f.agents[n-1], a.key, f.str(a.token)) != 0 {
			f.agents = append(f.agents, *a)
		} else if last := &f.agents[n-1]; last.short && !a.short {
			last.token, last.short = a.token, false
		}
	}
	if len(f.agents) < len(named) {
		f.agents = slices.Clip(slices.Clone(f.agents))
	}
}

// ProductToken returns the product token of a crawler that sends userAgent. Give it to
// [File.Rules]. The token is the name of the first product: "ExampleBot" in
// "ExampleBot/1.2 (+https://example.com/bot)". If the first product is "Mozilla",
// ProductToken looks for the name in parentheses: first after "compatible;", then
// before a version, as in "Mozilla/5.0 (compatible; ExampleBot/1.2)". It returns "" if
// there is no name, as in the user agents of today's browsers.
func ProductToken(userAgent string) string {
	token := userAgent[:syntax.TokenEnd(userAgent, syntax.IsTokenByte)]
	if token != "Mozilla" {
		return token
	}
	for rest := userAgent; rest != ""; {
		var comment string
		_, rest, _ = strings.Cut(rest, "(")
		comment, rest, _ = strings.Cut(rest, ")")
		if token := tokenIn(comment); token != "" {
			return token
		}
	}
	return ""
}

// tokenIn returns the product token in a comment of a user agent, or "".
func tokenIn(comment string) (versioned string) {
	before := ""
	for part := range strings.SplitSeq(comment, ";") {
		part = strings.TrimSpace(part)
		product, _, _ := strings.Cut(part, " +") // the address
		name, version, _ := strings.Cut(product, "/")
		version = strings.TrimPrefix(version, "v")
		switch {
		case !IsProductToken(name) || isPlatform(name):
		case before == "compatible":
			return name
		case versioned == "" && version != "" && syntax.IsDigit(version[0]):
			versioned = name
		}
		before = part
	}
	return versioned
}

// isPlatform reports whether a name in a comment belongs to the platform or the engine
// of a browser.
func isPlatform(name string) bool {
	switch name {
	case "X11", "Linux", "Windows", "Macintosh", "Android", "iPhone", "AppleWebKit", "Chrome", "Gecko", "Safari", "Trident":
		return true
	}
	return false
}

// IsProductToken reports whether s can be the product token of a crawler: one or more
// of the characters [A-Za-z_-] that RFC 9309 §2.2.1 allows, and of the digits and dots
// that many crawlers' tokens have as well.
func IsProductToken(s string) bool {
	return s != "" && syntax.TokenEnd(s, syntax.IsTokenByte) == len(s)
}

package robots

import (
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"unsafe"
)

// The compiled form is arrays without pointers: an entry for each token that a
// group speaks to, a word and a tag for each rule, and one text of all patterns,
// tokens and records, which the others point into.
//
//	agents  │ *: rules 0 to 2 │ googlebot: rule 3 │
//	rules   │ /admin/ │ /*.php$ │ /     │ /news     │  size, allow, line, place in text
//	tags    │ "ad"    │ *".p"   │ –     │ "ne"      │  two octets that it takes
//	text    │ */admin//*.php$/googlebot/newsSitemaphttps://example.com/s.xml
//
// Tags tell most rules that cannot match from those that might without a look at
// their text. The rules of a long group are ordered by a hash of what stands
// before their first wildcard, so that a target is only compared with those that
// begin as it does: see index.

// A File is what one robots.txt says, to every crawler. [Parse] makes it. It
// does not change, and is safe for concurrent use.
type File struct {
	agents    []agent // by key, token and group
	rules     []rule  // by group
	tags      []tag   // of the rules
	indexes   []index // of the long groups
	records   []record
	spellings []spelling // by line
	text      string
	literals  lazyLiterals // of the rules with wildcards
	bytes     int32        // that the file takes, but for literals
	truncated bool
	single    [1]agent // room for agents, which mostly are one
}

// A span is a part of File.text.
type span struct{ at, size uint32 }

func (f *File) str(s span) string { return f.text[s.at:][:s.size] }

// An agent says that a group speaks to a product token.
type agent struct {
	token      span
	key        key
	group      int32
	first, end uint32 // the group's rules
	delay      milliseconds
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
	line uint32
	text string
}

// A rule is an allow or disallow line with a pattern in normal form. The greater
// of two rules takes precedence: the longer one, then an allow rule (RFC 9309
// §2.2.2), then the one that comes first in the file. Zero is no rule: it says that none matched.
//
//	63      43 42    41       23 22       2 1      0
//	┌─────────┬───────┬─────────┬──────────┬──────┬──────────┐
//	│ size    │ allow │ ^line   │ at       │ wild │ anchored │
//	└─────────┴───────┴─────────┴──────────┴──────┴──────────┘
//
// A file of MaxSize has no more than 2^19 lines, and its text no more than 2^21
// octets, even if all of them have to be percent-encoded.
type rule uint64

const (
	anchoredBit = 1 << 0 // the pattern's final "$" is an anchor
	wildBit     = 1 << 1 // the pattern has a "*"
	atShift     = 2
	lineShift   = 23
	allowBit    = 1 << 42
	sizeShift   = 43
	atMask      = 1<<21 - 1
	lineMask    = 1<<19 - 1
)

func newRule(pattern span, line uint32, allow, wild, anchored bool) rule {
	r := rule(pattern.size)<<sizeShift | rule(^line&lineMask)<<lineShift | rule(pattern.at)<<atShift
	if allow {
		r |= allowBit
	}
	if wild {
		r |= wildBit
	}
	if anchored {
		r |= anchoredBit
	}
	return r
}

func (r rule) pattern() span {
	return span{at: uint32(r>>atShift) & atMask, size: uint32(r >> sizeShift)}
}
func (r rule) line() uint32   { return ^uint32(r>>lineShift) & lineMask }
func (r rule) allow() bool    { return r&allowBit != 0 }
func (r rule) wild() bool     { return r&wildBit != 0 }
func (r rule) anchored() bool { return r&anchoredBit != 0 }

// A key is the length of a product token and some of its characters, in lower
// case: it tells most tokens apart.
type key uint32

// everyone is the key of "*", the least of all.
const everyone key = 1<<24 | '*'<<16 | '*'<<8 | '*'

func keyOf(token string) key {
	n := len(token)
	if n == 0 {
		return 0
	}
	return key(min(n, 0xFF))<<24 | key(lower(token[0]))<<16 | key(lower(token[n/2]))<<8 | key(lower(token[n-1]))
}

// sortAgents orders the agents, so that all groups for a token stand together.
func (f *File) sortAgents() {
	for i := range f.agents {
		f.agents[i].key = keyOf(f.str(f.agents[i].token))
	}
	if len(f.agents) < 2 {
		return
	}
	shortened := f.shortened()
	slices.SortFunc(f.agents, func(a, b agent) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		if order := compareFold(f.str(a.token), f.str(b.token)); order != 0 {
			return order
		}
		if a.group != b.group {
			return cmp.Compare(a.group, b.group)
		}
		return cmp.Compare(a.token.at, b.token.at)
	})
	f.mergeAgents(shortened)
}

// mergeAgents makes one of those that a group names twice: it speaks to them once,
// with the first delay. Of their tokens one stays that is as written, if there is.
func (f *File) mergeAgents(shortened []uint32) {
	isShort := func(a agent) bool {
		_, found := slices.BinarySearch(shortened, a.token.at)
		return found
	}
	merged := f.agents[:1]
	for _, a := range f.agents[1:] {
		last := &merged[len(merged)-1]
		switch same := a.key == last.key && a.group == last.group && compareFold(f.str(a.token), f.str(last.token)) == 0; {
		case !same:
			merged = append(merged, a)
		case isShort(*last) && !isShort(a):
			last.token = a.token
		}
	}
	if len(merged) < len(f.agents) {
		f.agents = exactly(merged)
	}
}

// shortened returns where the tokens are that are how crawlers with an RFC's token
// read the one before, if the agents are in the order of the file.
func (f *File) shortened() (at []uint32) {
	for i := 1; i < len(f.agents); i++ {
		if f.shortens(f.agents[i].token, f.agents[i-1].token) {
			at = append(at, f.agents[i].token.at)
		}
	}
	return at
}

// shortens reports whether token is how crawlers with an RFC's token read the
// line that names long, which was kept just before it.
func (f *File) shortens(token, long span) bool {
	return token.at == long.at+long.size && tokenEnd(f.str(long), isStrictTokenByte) == int(token.size) && token.size < long.size
}

// literal returns what stands before the first wildcard of r, or its anchor.
func (f *File) literal(r rule) string {
	pattern := f.str(r.pattern())
	if r.wild() {
		return pattern[:strings.IndexByte(pattern, '*')]
	}
	if r.anchored() {
		return pattern[:len(pattern)-1]
	}
	return pattern
}

// A tag is two octets that all targets have which a rule matches: the second and
// the third, if a rule says what they are, or else, with the bit innerTag, two
// that stand together somewhere. It is 0 if there are none.
type tag uint16

const innerTag tag = 1 << 15

// tagOf returns the tag of rules that begin with literal.
func tagOf[T string | []byte](literal T) tag {
	if len(literal) < 3 {
		return 0
	}
	return tag(literal[1]) | tag(literal[2])<<8
}

// innerTagOf returns the tag of a rule that has rest after its first wildcard:
// the first two octets that stand together in it.
func innerTagOf(rest []byte) tag {
	for i := 0; i+1 < len(rest); i++ {
		if a, b := rest[i], rest[i+1]; a == '%' && isTriplet(rest, i) {
			i += 2 // may be decoded: see queryFrom
		} else if a != '*' && a != '%' && b != '*' && b != '%' {
			return pairTag(a, b)
		}
	}
	return 0
}

func pairTag(a, b byte) tag { return innerTag | tag(a) | tag(b)<<7 }

// Size returns about how many bytes of memory the file takes, in constant time. It
// grows once, with the first query that takes an index of all rules: few real files
// have one, and it takes some eight bytes for each octet after a wildcard.
func (f *File) Size() int { return int(f.bytes) + f.literals.size() }

// measure returns the number of bytes that f takes, but for its literals.
func (f *File) measure() int {
	n := int(unsafe.Sizeof(*f)) + len(f.text) + sizeOf(f.agents) + sizeOf(f.rules) + sizeOf(f.tags) + sizeOf(f.records)
	for _, x := range f.indexes {
		n += sizeOf(x.lengths) + sizeOf(x.buckets)
	}
	for _, s := range f.spellings {
		n += (len(s.text) + 7) &^ 7 // as allocated
	}
	return n + sizeOf(f.indexes) + sizeOf(f.spellings)
}

func sizeOf[T any](s []T) int {
	var element T
	return cap(s) * int(unsafe.Sizeof(element))
}

// An index tells which rules of a long group may match a target: those that
// begin as it does.
type index struct {
	first   uint32   // the group's first rule
	lengths []length // of the rules' literals, from the shortest
	buckets []uint32 // bucket b is File.rules[buckets[b]:buckets[b+1]]
	seed    maphash.Seed
}

// A length is that of the literals of some rules in an index.
type length struct {
	size uint32
	tags uint64 // the bits of the rules' tags
}

// bit returns one bit of 64 for what is known of a rule's second and third octet;
// all of them for nothing.
func (t tag) bit() uint64 {
	if t == 0 || t&innerTag != 0 {
		return math.MaxUint64
	}
	return 1 << ((t ^ t>>6) & 63)
}

// longGroup is the number of rules above which looking at all tags takes longer
// than looking up the beginnings of a target.
const longGroup = 64

// bucket returns the place in x.buckets for rules that begin with literal.
func (x *index) bucket(literal string) int {
	return int(maphash.String(x.seed, literal) % uint64(len(x.buckets)-1))
}

// buildIndex writes the rules from first to end to f once more, in the order of
// their buckets.
func (p *parser) buildIndex(f *File, first, end uint32) index {
	rules, tags := p.rules[first:end], p.tags[first:end]
	x := index{first: first, buckets: make([]uint32, len(rules)+1), seed: maphash.MakeSeed()}
	places := make([]uint32, len(rules))
	seen := make([]uint64, 128) // tags, by length
	for i, r := range rules {
		literal := f.literal(r)
		if grow := len(literal) + 1 - len(seen); grow > 0 {
			seen = append(seen, make([]uint64, grow)...)
		}
		seen[len(literal)] |= tags[i].bit()
		places[i] = uint32(x.bucket(literal))
		x.buckets[places[i]+1]++
	}
	for size, tags := range seen {
		if tags != 0 {
			x.lengths = append(x.lengths, length{uint32(size), tags})
		}
	}
	x.lengths = exactly(x.lengths)

	// A counting sort: the sizes of the buckets become their beginnings, which
	// move on as they are filled, and then back.
	x.buckets[0] = first
	for i := range rules {
		x.buckets[i+1] += x.buckets[i]
	}
	for i, r := range rules {
		at := x.buckets[places[i]]
		x.buckets[places[i]]++
		f.rules[at], f.tags[at] = r, tags[i]
	}
	copy(x.buckets[1:], x.buckets)
	x.buckets[0] = first
	return x
}

package robots

import (
	"cmp"
	"iter"
	"slices"
	"unsafe"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A File is what one robots.txt says to every crawler. [Parse] makes it. A File does
// not change, and is safe for concurrent use.
type File struct {
	// Arrays without pointers: an element for each token that a group names, a word and a
	// tag for each rule, and one text that the others point into.
	agents    []agent   // by key, token and group
	set       match.Set // of rules
	records   []record
	usage     *usage // what some of the records say about use, or nil
	bytes     int32  // the memory that the file takes, without the indexes that queries make
	truncated bool
	single    [1]agent // room for agents: most files have one
}

// Truncated reports whether the source was longer than [MaxSize]. Parse then did not
// read its end.
func (f *File) Truncated() bool { return f.truncated }

// Size returns about how many bytes of memory the file takes. It takes constant time. The size may grow
// twice. The first query about a group of more than 128 rules makes an index, which takes some four
// bytes for each rule. The first query that needs an index of the wildcard rules makes it, which takes
// some eight bytes for each octet after a wildcard. Few real files ever need this index.
func (f *File) Size() int { return int(f.bytes) + f.set.Grown() + f.usage.grown() }

// measure returns the number of bytes that f takes, without the indexes that queries
// make.
func (f *File) measure() int {
	return int(unsafe.Sizeof(*f)) + f.set.Size() + match.SizeOf(f.agents) + match.SizeOf(f.records) + f.usage.size()
}

func (f *File) str(s match.Span) string { return f.set.Text.Part(s) }

// Records returns all records, inside and outside of groups, in the order of the file:
// sitemap, crawl-delay, content-signal, host and every other.
func (f *File) Records() iter.Seq[Record] {
	return f.recordsIf(func(record) bool { return true })
}

// Sitemaps returns the values of the sitemap records, as written and in the order of
// the file. A sitemap should be an absolute URL, of any host. Check it before you fetch
// it. A sitemap belongs to no group. Package sitemap of this module reads sitemaps.
func (f *File) Sitemaps() iter.Seq[string] {
	return func(yield func(string) bool) {
		for r := range f.recordsIf(func(r record) bool { return r.kind == syntax.Sitemap && r.value.Size > 0 }) {
			if !yield(r.Value) {
				return
			}
		}
	}
}

func (f *File) recordsIf(want func(record) bool) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, r := range f.records {
			if want(r) && !yield(f.describeRecord(r)) {
				return
			}
		}
	}
}

func (f *File) describeRecord(r record) Record {
	return Record{f.str(r.key), f.str(r.value), int(r.line)}
}

// recordIn returns the index in f.records of the record in a line.
func (f *File) recordIn(line int) (int, bool) {
	return slices.BinarySearchFunc(f.records, line, func(r record, line int) int { return cmp.Compare(int(r.line), line) })
}

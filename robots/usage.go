package robots

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A UsageRecord is a content-signal or content-usage record that applies to a crawler and
// a target. It says what may be done with the page. Package
// [github.com/go-polite/polite/robots/usage] reads what it says.
type UsageRecord struct {
	Record
	Outside bool // it stands before the first group, and so speaks to every crawler
}

// Usage returns the records that say what the crawler may do with target: a URL, or its path with the
// query. It returns nil if there are none. The records of the crawler's groups come first, then those
// outside of all groups, both in the order of the file.
//
// Of the content-usage records, only those with the longest matching path apply, as with
// rules. A record without a path is the shortest. A record without a statement never
// applies. Usage does not ask whether target is allowed.
func (r Rules) Usage(target string) []UsageRecord {
	if r.file == nil || r.file.usage == nil {
		return nil
	}
	u := r.file.usage
	path := string(syntax.AppendNormal(nil, syntax.PathOf(target), false))
	records, _ := r.file.usageIn(u.of(r.agents), path, match.Budget)
	outside, _ := r.file.usageIn(u.outside(), path, match.Budget)
	if records = append(records, outside...); len(records) == 0 {
		return nil
	}
	return records
}

// UsageSlips returns the lines about the use of all paths that do not count because of a slip. The key
// of such a line is spelled wrong, as in "content-signals: ai-train=no", or its colon is missing.
// Record.Key is the key that was meant. [Rules.Usage] returns none of these lines, and [File.Records]
// none without a colon. The order is that of Usage.
func (r Rules) UsageSlips() (slips []UsageRecord) {
	if r.file == nil || r.file.usage == nil || len(r.file.usage.slips) == 0 {
		return nil
	}
	for _, a := range r.agents {
		slips = r.file.appendSlips(slips, a.group)
	}
	return r.file.appendSlips(slips, noGroup)
}

// appendSlips appends the slips in a group.
func (f *File) appendSlips(slips []UsageRecord, group int32) []UsageRecord {
	all := f.usage.slips
	first, _ := slices.BinarySearchFunc(all, group, func(r record, group int32) int { return cmp.Compare(r.group, group) })
	for _, r := range all[first:] {
		if r.group != group {
			break
		}
		slips = append(slips, UsageRecord{Record{meantKeys[r.kind], f.str(r.value), int(r.line)}, group == noGroup})
	}
	return slips
}

var meantKeys = [...]string{syntax.ContentSignal: "content-signal", syntax.ContentUsage: "content-usage"}

// usageIn returns the records of some groups that apply to a path, and the number of
// steps that the search took.
func (f *File) usageIn(groups []usageGroup, path string, budget int64) (records []UsageRecord, steps int) {
	u := f.usage
	var sections []match.Section
	room := 0
	for _, g := range groups {
		room += int(g.end - g.first)
		if g.paths.End > g.paths.First {
			sections = append(sections, g.paths)
		}
	}
	longest, steps := u.paths.Longest(sections, path, budget)
	records = make([]UsageRecord, 0, len(longest)+room)
	for _, rule := range longest {
		i, _ := f.recordIn(int(rule.Line()))
		records = append(records, f.usageRecord(i))
	}
	for _, g := range groups {
		for _, i := range u.all[g.first:g.end] {
			if len(longest) == 0 || f.records[i].kind == syntax.ContentSignal {
				records = append(records, f.usageRecord(int(i)))
			}
		}
	}
	slices.SortFunc(records, func(a, b UsageRecord) int { return cmp.Compare(a.Line, b.Line) })
	return records, steps + room
}

func (f *File) usageRecord(i int) UsageRecord {
	r := f.records[i]
	return UsageRecord{Record: f.describeRecord(r), Outside: r.group == noGroup}
}

// A usage is what a file says about use. It is nil for most files, which say nothing.
type usage struct {
	paths  match.Set    // of the content-usage records that have a path
	all    []uint32     // the indices in File.records of the records for all paths
	groups []usageGroup // by group
	slips  []record     // of lines that are meant to be such records, without a path
}

// A usageGroup is what one group says about use.
type usageGroup struct {
	group      int32 // or noGroup
	paths      match.Section
	first, end uint32 // usage.all[first:end]
}

// of returns what the groups of some agents say.
func (u *usage) of(agents []agent) (groups []usageGroup) {
	for _, a := range agents {
		if i, ok := slices.BinarySearchFunc(u.groups, a.group, func(g usageGroup, group int32) int { return cmp.Compare(g.group, group) }); ok {
			groups = append(groups, u.groups[i])
		}
	}
	return groups
}

// outside returns what stands before the first group.
func (u *usage) outside() []usageGroup {
	if len(u.groups) > 0 && u.groups[0].group == noGroup {
		return u.groups[:1]
	}
	return nil
}

func (u *usage) size() int {
	if u == nil {
		return 0
	}
	return int(unsafe.Sizeof(*u)) + u.paths.Size() + match.SizeOf(u.all) + match.SizeOf(u.groups) + match.SizeOf(u.slips)
}

func (u *usage) grown() int {
	if u == nil {
		return 0
	}
	return u.paths.Grown()
}

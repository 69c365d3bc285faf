package robots

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/go-polite/polite/robots/internal/match"
)

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

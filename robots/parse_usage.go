package robots

import (
	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

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

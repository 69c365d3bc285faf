// Package glance is what look shows of a fleet: counts, the lanes that wait longest, and
// the claims. Its memory is bounded, whatever the server has.
package glance

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-polite/polite/store/redisfleet"
)

// A Glance collects what is read. New makes one.
type Glance struct {
	Most int    // how many lanes to list, and how many claims
	Only string // what their names must contain

	counts counts
	lanes  top[lane]
	claims top[redisfleet.Entry]

	processes top[redisfleet.Process]
	servers   []redisfleet.Server // that have a trouble, up to mostServers
	profiles  map[string]bool     // up to mostProfiles
}

// counts are of all lanes and entries, listed or not.
type counts struct {
	Lanes          int   `json:"lanes"`
	Waiting        int   `json:"lanes_waiting"`
	Breaks         int   `json:"lanes_in_break"`
	LaneBytes      int64 `json:"lanes_bytes"`
	DamagedLanes   int   `json:"lanes_damaged"`
	Reserved       int   `json:"reserved"`
	Slots          int   `json:"slots"`
	Entries        int   `json:"entries"`
	Claims         int   `json:"claims"`
	EntryBytes     int64 `json:"entries_bytes"`
	DamagedEntries int   `json:"entries_damaged"`
	Processes      int   `json:"processes"`
	Deaf           int   `json:"processes_deaf"`
	Failing        int   `json:"processes_failing"`
	Silent         int   `json:"processes_silent"`
	Troubles       int   `json:"servers_troubled"`
	Profiles       int   `json:"profiles"`
}

// A lane is a line of the list.
type lane struct {
	redisfleet.Lane     // without its Starts, with the first of its Slots
	Reserved, Taken int // how many there are
}

const (
	mostName  = 1 << 10 // octets of a name, which others choose
	mostSlots = 64      // of a lane

	mostProfiles = 1 << 10
	mostServers  = 64
)

// New returns an empty Glance.
func New() *Glance {
	g := new(Glance)
	g.lanes.order = func(a, b lane) int {
		return cmp.Or(cmp.Compare(b.Wait, a.Wait), cmp.Compare(b.Taken, a.Taken), cmp.Compare(a.Name, b.Name))
	}
	g.lanes.name = func(l lane) string { return l.Key }
	g.claims.order = func(a, b redisfleet.Entry) int {
		return cmp.Or(cmp.Compare(b.Claim, a.Claim), cmp.Compare(a.Name, b.Name))
	}
	g.claims.name = func(r redisfleet.Entry) string { return r.Key }
	g.processes.order = func(a, b redisfleet.Process) int {
		return cmp.Or(one(isSick(b))-one(isSick(a)), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Key, b.Key))
	}
	g.processes.name = func(p redisfleet.Process) string { return p.Key }
	g.profiles = make(map[string]bool)
	return g
}

// Lane notes a lane.
func (g *Glance) Lane(l redisfleet.Lane) {
	c := &g.counts
	c.Lanes++
	c.Waiting += one(l.Wait > 0)
	c.Breaks += one(l.Break > 0)
	c.LaneBytes += int64(l.Bytes)
	c.DamagedLanes += one(l.Damaged)
	c.Reserved += len(l.Starts)
	c.Slots += len(l.Slots)
	if !strings.Contains(l.Name, g.Only) {
		return
	}
	row := lane{l, len(l.Starts), len(l.Slots)}
	row.Name, row.Starts = cut(l.Name), nil
	row.Slots = append([]redisfleet.Slot(nil), l.Slots[:min(len(l.Slots), mostSlots)]...)
	g.lanes.add(row, g.Most)
}

// Entry notes an entry.
func (g *Glance) Entry(r redisfleet.Entry) {
	c := &g.counts
	c.Entries += one(r.Kept)
	c.Claims += one(r.Claim > 0)
	c.EntryBytes += int64(r.Bytes)
	c.DamagedEntries += one(r.Damaged)
	if r.Claim > 0 && strings.Contains(r.Name, g.Only) {
		r.Name = cut(r.Name)
		g.claims.add(r, g.Most)
	}
}

// Server notes a server.
func (g *Glance) Server(s redisfleet.Server) {
	if s.Trouble == nil {
		return
	}
	g.counts.Troubles++
	if len(g.servers) < mostServers {
		g.servers = append(g.servers, s)
	}
}

// Well reports whether no server has a trouble.
func (g *Glance) Well() bool { return g.counts.Troubles == 0 }

// Process notes a process.
func (g *Glance) Process(p redisfleet.Process) {
	c := &g.counts
	c.Processes++
	c.Silent += one(p.Silent > 0)
	c.Deaf += one(p.Silent == 0 && isDeaf(p))
	c.Failing += one(p.Silent == 0 && isFailing(p))
	p.Name, p.Profile, p.Health = cut(p.Name), cut(p.Profile), cut(p.Health)
	if len(g.profiles) < mostProfiles {
		g.profiles[p.Profile] = true
	}
	c.Profiles = len(g.profiles)
	g.processes.add(p, g.Most)
}

// isDeaf reports whether a process has told that it does not hear of breaks, and isFailing that its turns
// fail. isSick reports whether something is wrong with it.
func isDeaf(p redisfleet.Process) bool    { return strings.HasPrefix(p.Health, "deaf") }
func isFailing(p redisfleet.Process) bool { return strings.Contains(p.Health, " turns_fail=") }
func isSick(p redisfleet.Process) bool    { return p.Silent > 0 || isDeaf(p) || isFailing(p) }

// cut returns the beginning of a name. It does not keep the rest in memory.
func cut(name string) string {
	if len(name) <= mostName {
		return strings.Clone(name)
	}
	return strings.ToValidUTF8(name[:mostName], "") + "..."
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A top keeps the first of many rows, in an order. Of rows with the same name, the first
// stays.
type top[R any] struct {
	order func(a, b R) int
	name  func(R) string
	rows  []R
}

// add adds a row. At most twice as many as most are kept at a time.
func (t *top[R]) add(row R, most int) {
	if t.rows = append(t.rows, row); len(t.rows) > 2*most {
		t.first(most)
	}
}

// first leaves the first rows, and returns them.
func (t *top[R]) first(most int) []R {
	slices.SortStableFunc(t.rows, t.order)
	seen := make(map[string]bool)
	t.rows = slices.DeleteFunc(t.rows, func(row R) bool {
		again := seen[t.name(row)]
		seen[t.name(row)] = true
		return again
	})
	if len(t.rows) > most {
		clear(t.rows[most:])
		t.rows = t.rows[:most]
	}
	return t.rows
}

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
	claims top[claim]

	processes top[process]
	servers   []server        // that have a trouble, up to mostServers
	profiles  map[string]bool // up to mostProfiles
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
	Queue          int   `json:"queue"`
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

// Rows of the lists, with the names of their fields in JSON.
type (
	lane struct {
		Key      string  `json:"key"`
		Name     string  `json:"lane"`
		Wait     seconds `json:"wait"`
		Break    seconds `json:"break"`
		Reserved int     `json:"reserved"`
		Taken    int     `json:"slots_taken"`
		Queue    int     `json:"queue"`
		Slots    []slot  `json:"slots"` // the first of them
		Bytes    int     `json:"bytes"`
		Damaged  bool    `json:"damaged"`
	}
	slot struct {
		Token string  `json:"token"`
		Left  seconds `json:"left"`
	}
	claim struct {
		Key   string  `json:"key"`
		Name  string  `json:"fetches"`
		Left  seconds `json:"left"`
		Token string  `json:"token"`
		Again bool    `json:"again"`
	}
	process struct {
		Key     string  `json:"key"`
		Name    string  `json:"process"`
		Profile string  `json:"profile"`
		Health  string  `json:"health"`
		Silent  seconds `json:"silent"`
	}
	server struct {
		Address string `json:"server"`
		Trouble string `json:"trouble"`
	}
)

const (
	mostName  = 1 << 10 // octets of a name, which others choose
	mostSlots = 64      // of a lane

	mostProfiles = 1 << 10
	mostServers  = 64
)

// New returns an empty Glance.
func New() *Glance {
	g := &Glance{profiles: make(map[string]bool)}
	g.lanes = top[lane]{func(l lane) string { return l.Key }, func(a, b lane) int {
		return cmp.Or(cmp.Compare(b.Wait, a.Wait), cmp.Compare(b.Queue, a.Queue), cmp.Compare(b.Taken, a.Taken), cmp.Compare(a.Name, b.Name))
	}, nil}
	g.claims = top[claim]{func(c claim) string { return c.Key }, func(a, b claim) int {
		return cmp.Or(cmp.Compare(b.Left, a.Left), cmp.Compare(a.Name, b.Name))
	}, nil}
	g.processes = top[process]{func(p process) string { return p.Key }, func(a, b process) int {
		return cmp.Or(one(b.isSick())-one(a.isSick()), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Key, b.Key))
	}, nil}
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
	c.Queue += l.Queue
	if !strings.Contains(l.Name, g.Only) {
		return
	}
	slots := make([]slot, 0, min(len(l.Slots), mostSlots))
	for _, s := range l.Slots[:cap(slots)] {
		slots = append(slots, slot{s.Token, seconds(s.Left)})
	}
	g.lanes.add(lane{l.Key, cut(l.Name), seconds(l.Wait), seconds(l.Break), len(l.Starts), len(l.Slots), l.Queue, slots, l.Bytes, l.Damaged}, g.Most)
}

// Entry notes an entry.
func (g *Glance) Entry(r redisfleet.Entry) {
	c := &g.counts
	c.Entries += one(r.Kept)
	c.Claims += one(r.Claim > 0)
	c.EntryBytes += int64(r.Bytes)
	c.DamagedEntries += one(r.Damaged)
	if r.Claim > 0 && strings.Contains(r.Name, g.Only) {
		g.claims.add(claim{r.Key, cut(r.Name), seconds(r.Claim), r.Token, r.Kept}, g.Most)
	}
}

// Server notes a server.
func (g *Glance) Server(s redisfleet.Server) {
	if s.Trouble == nil {
		return
	}
	g.counts.Troubles++
	if len(g.servers) < mostServers {
		g.servers = append(g.servers, server{s.Address, s.Trouble.Error()})
	}
}

// Well reports whether no server has a trouble, and no process tells that its turns fail.
func (g *Glance) Well() bool { return g.counts.Troubles == 0 && g.counts.Failing == 0 }

// Process notes a process.
func (g *Glance) Process(told redisfleet.Process) {
	p := process{told.Key, cut(told.Name), cut(told.Profile), cut(told.Health), seconds(told.Silent)}
	c := &g.counts
	c.Processes++
	c.Silent += one(p.Silent > 0)
	c.Deaf += one(p.Silent == 0 && p.isDeaf())
	c.Failing += one(p.Silent == 0 && p.isFailing())
	if len(g.profiles) < mostProfiles {
		g.profiles[p.Profile] = true
	}
	c.Profiles = len(g.profiles)
	g.processes.add(p, g.Most)
}

// isDeaf reports whether a process has told that it does not hear of breaks, and isFailing that its turns
// fail. isSick reports whether something is wrong with it.
func (p process) isDeaf() bool    { return strings.HasPrefix(p.Health, "deaf") }
func (p process) isFailing() bool { return strings.Contains(p.Health, " turns_fail=") }
func (p process) isSick() bool    { return p.Silent > 0 || p.isDeaf() || p.isFailing() }

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
	name  func(R) string
	order func(a, b R) int
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

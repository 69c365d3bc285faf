package redisfleet

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

const (
	// tellEvery is how often a process tells how it is. The server keeps it for a minute.
	tellEvery = 4 * time.Second

	// silentAfter is when a process that has not told is silent.
	silentAfter = 10 * time.Second

	mostHealth = 1 << 10 // octets
	mostName   = 100
)

// A reporter tells the server how a process is.
type reporter struct {
	status func() store.Status // nil: it tells nothing
	name   string
	key    string

	mu   sync.Mutex
	told time.Time
}

// due returns what is to be told now, or nil.
func (r *reporter) due(now time.Time) *telling {
	if r.status == nil || !r.isDue(now) {
		return nil
	}
	s := r.status()
	if len(s.Profile) > mostProfile {
		return nil
	}
	all := []string{line(r.name, mostName), line(s.Profile, mostProfile), line(s.Health, mostHealth)}
	return &telling{r.key, line(s.Profile, mostProfile), strings.Join(all, "\n")}
}

func (r *reporter) isDue(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	due := now.Sub(r.told) >= tellEvery
	if due {
		r.told = now
	}
	return due
}

// tellSoon lets the next beat tell how this process is.
func (r *reporter) tellSoon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = time.Time{}
}

// A roster has the ids under which the Reports of a process tell how it is. One that begins takes the id of
// one that has ended, so a process that calls Report again is the same.
type roster struct {
	mu   sync.Mutex
	used map[string]bool // by id; false: its Report has ended
}

func (r *roster) join() (id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used == nil {
		r.used = make(map[string]bool)
	}
	id = rand.Text()
	for free, used := range r.used {
		if !used {
			id = free
		}
	}
	r.used[id] = true
	return id
}

func (r *roster) leave(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used[id] = false
}

// all returns all ids.
func (r *roster) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.used))
}

// line returns the beginning of a text, in one line.
func line(text string, most int) string {
	return strings.ReplaceAll(text[:min(len(text), most)], "\n", " ")
}

// nameOf returns the name by which a process is shown, unless it has one.
func nameOf(name string) string {
	host, _ := os.Hostname()
	return cmp.Or(name, fmt.Sprintf("%s:%d", cmp.Or(host, "process"), os.Getpid()))
}

// A Process is one that has told of late how it is: see [Viewer.Processes]. Others may have
// written it, so a text in it may hold any bytes: make it printable before you show it.
type Process struct {
	Key  string // in the server
	Name string // Options.Name
	store.Status

	// Silent is for how long it has told nothing, if this is longer than usual. It is stopped, cut off, or
	// gone without a word. After a minute, it is not listed.
	Silent time.Duration
}

// processOf reads what a process tells, after the time when it did.
func processOf(key, text string, now int64) Process {
	p := Process{Key: key}
	at, text, _ := strings.Cut(text, "\n")
	if told, ok := digits(at); ok && now-told > silentAfter.Microseconds() {
		p.Silent = duration(now - told)
	}
	name, rest, _ := strings.Cut(text, "\n")
	p.Name = name
	p.Profile, p.Health, _ = strings.Cut(rest, "\n")
	return p
}

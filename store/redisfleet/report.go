package redisfleet

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"os"
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
	r.mu.Lock()
	isDue := r.status != nil && now.Sub(r.told) >= tellEvery
	if isDue {
		r.told = now
	}
	r.mu.Unlock()
	if !isDue {
		return nil
	}
	s := r.status()
	if len(s.Profile) > mostProfile {
		return nil
	}
	all := []string{line(r.name, mostName), line(s.Profile, mostProfile), line(s.Health, mostHealth)}
	return &telling{r.key, line(s.Profile, mostProfile), strings.Join(all, "\n")}
}

// tellSoon lets the next beat tell how this process is.
func (r *reporter) tellSoon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = time.Time{}
}

// A roster has the ids under which the Reports of a process tell how it is, and whether each is in use. A Report
// that begins takes the id of one that has ended, so a process that calls Report again is the same.
type roster struct{ used sync.Map }

func (r *roster) join() (id string) {
	id = rand.Text()
	r.used.Range(func(free, _ any) bool {
		taken := r.used.CompareAndSwap(free, false, true)
		if taken {
			id = free.(string)
		}
		return !taken
	})
	r.used.Store(id, true)
	return id
}

func (r *roster) leave(id string) { r.used.Store(id, false) }

// all returns all ids.
func (r *roster) all() (ids []string) {
	r.used.Range(func(id, _ any) bool {
		ids = append(ids, id.(string))
		return true
	})
	return ids
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

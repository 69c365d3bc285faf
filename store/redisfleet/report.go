package redisfleet

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-polite/polite/store"
)

const (
	// tellEvery is how often a process tells how it is. The server keeps it for ten seconds.
	tellEvery = 4 * time.Second

	mostHealth = 1 << 10 // octets
	mostName   = 100
)

// A reporter tells the server how a process is.
type reporter struct {
	status func() store.Status // nil: it tells nothing
	name   string
	key    string
	told   time.Time
}

// due returns what is to be told now, or nil.
func (r *reporter) due(now time.Time) *telling {
	if r.status == nil || now.Sub(r.told) < tellEvery {
		return nil
	}
	r.told = now
	s := r.status()
	if len(s.Profile) > mostProfile {
		return nil
	}
	all := []string{line(r.name, mostName), line(s.Profile, mostProfile), line(s.Health, mostHealth)}
	return &telling{r.key, line(s.Profile, mostProfile), strings.Join(all, "\n")}
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
}

// processOf reads what a process tells.
func processOf(key, text string) Process {
	p := Process{Key: key}
	name, rest, _ := strings.Cut(text, "\n")
	p.Name = name
	p.Profile, p.Health, _ = strings.Cut(rest, "\n")
	return p
}

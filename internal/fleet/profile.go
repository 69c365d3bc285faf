package fleet

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/store"
)

// A Setting should be the same in all processes that share Turns.
type Setting struct{ Name, Value string }

// A profile has the values of each setting: a Cache may have Transports that differ.
type profile map[string][]string

const (
	mostValues    = 8   // of a setting
	longestValue  = 100 // octets
	mostProfile   = 1 << 10
	mostOthers    = 16 // profiles of others that are kept
	mostTold      = 64 // differences that are told
	differFor     = 6 * time.Second
	settingsApart = " "
	valuesApart   = "|"
)

// add adds the values of a Transport. It returns false if the profile has them already.
func (p profile) add(settings []Setting) (changed bool) {
	for _, s := range settings {
		value := url.QueryEscape(s.Value)
		if len(value) > longestValue {
			value = fmt.Sprintf("sha256-%x", sha256.Sum256([]byte(value)))
		}
		if !slices.Contains(p[s.Name], value) && len(p[s.Name]) < mostValues {
			p[s.Name] = append(p[s.Name], value)
			slices.Sort(p[s.Name])
			changed = true
		}
	}
	return changed
}

// mixes reports whether Transports have different gaps or limits.
func (p profile) mixes() bool {
	return len(p["MinDelay"]) > 1 || len(p["MaxDelay"]) > 1 || len(p["Concurrency"]) > 1
}

// text returns p as a text for other processes.
func (p profile) text() string {
	var all []string
	for name, values := range p {
		all = append(all, name+"="+strings.Join(values, valuesApart))
	}
	slices.Sort(all)
	return strings.Join(all, settingsApart)
}

// profileOf reads what another process tells.
func profileOf(text string) profile {
	if len(text) > mostProfile {
		return nil
	}
	p := make(profile)
	for setting := range strings.SplitSeq(text, settingsApart) {
		if name, values, ok := strings.Cut(setting, "="); ok {
			p[name] = strings.Split(values, valuesApart)
		}
	}
	return p
}

// differences returns the settings that both have, and in which each has a value that the other has
// not. If one has all values of the other, the other may have a Transport that is not in use yet.
func (p profile) differences(other profile) (all []store.Difference) {
	for name, here := range p {
		there, ok := other[name]
		if ok && !containsAll(here, there) && !containsAll(there, here) {
			all = append(all, store.Difference{Setting: name, Here: readable(here), There: readable(there)})
		}
	}
	slices.SortFunc(all, func(a, b store.Difference) int { return strings.Compare(a.Setting, b.Setting) })
	return all
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(v string) bool { return !slices.Contains(all, v) })
}

// readable returns values as their Transports have them.
func readable(values []string) string {
	text := strings.Join(values, valuesApart)
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// peers are the profile of this process, and those of others that differ.
type peers struct {
	mu     sync.Mutex
	own    profile
	text   string
	others map[string]time.Time // when they were heard of last
	told   map[store.Difference]bool
	mixed  atomic.Bool  // Transports of this process have different paces
	until  atomic.Int64 // until then at least others differ, unless they end; Unix time in ns
}

// join adds the settings of a Transport to the profile of this process.
func (p *peers) join(settings []Setting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.own == nil {
		p.own, p.others, p.told = make(profile), make(map[string]time.Time), make(map[store.Difference]bool)
	}
	if p.own.add(settings) {
		p.text = p.own.text()
		p.mixed.Store(p.own.mixes())
	}
}

// profile returns the profile of this process as others are told of it.
func (p *peers) profile() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}

// hear takes in the profile of another process. It returns the differences that were not told yet.
func (p *peers) hear(text string) (untold []store.Difference) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
	if _, known := p.others[text]; p.own == nil || len(text) > mostProfile || !known && len(p.others) >= mostOthers {
		return nil
	}
	p.others[strings.Clone(text)] = time.Now()
	differences := p.own.differences(profileOf(text))
	if len(differences) > 0 {
		p.until.Store(time.Now().Add(differFor).UnixNano())
	}
	for _, d := range differences {
		if !p.told[d] && len(p.told) < mostTold {
			p.told[d] = true
			untold = append(untold, d)
		}
	}
	return untold
}

// forget forgets the others of which nothing was heard for a while.
func (p *peers) forget() {
	for text, heard := range p.others {
		if time.Since(heard) > differFor {
			delete(p.others, text)
		}
	}
}

// differences returns how others differ now.
func (p *peers) differences() (all []store.Difference) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
	for text := range p.others {
		all = append(all, p.own.differences(profileOf(text))...)
	}
	slices.SortFunc(all, func(a, b store.Difference) int {
		return strings.Compare(a.Setting+" "+a.There, b.Setting+" "+b.There)
	})
	return slices.Compact(all)
}

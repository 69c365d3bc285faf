package sites

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/closest"
)

// An entryLine is a line that is being read.
type entryLine struct {
	all   []setting
	basis string // of an agreement
	entry Entry
	seen  []string // the names of the settings
}

// set reads a setting.
func (l *entryLine) set(text string) error {
	name, value, valued := strings.Cut(text, "=")
	if l.has(name) {
		return fmt.Errorf("%s is there twice: write one of them", name)
	}
	l.seen = append(l.seen, name)
	switch name {
	case "together":
		return l.join(value, valued)
	case "agreed":
		l.entry.Options.Agreed, l.entry.Options.Basis = true, l.basis
	case "default":
	case "hours":
		l.entry.Hours = value
		_, err := parseHours(value)
		return err
	default:
		return l.setPace(name, value)
	}
	if valued {
		return fmt.Errorf("%s has no value: write %s alone", name, name)
	}
	return nil
}

func (l *entryLine) join(name string, named bool) error {
	if named && name == "" {
		return errors.New("together= has no name: write together, or a name as in together=wiki")
	}
	l.entry.Options.Key = name
	if !named {
		l.entry.Options.Key = l.entry.Match
	}
	return nil
}

func (l *entryLine) setPace(name, value string) error {
	at := slices.IndexFunc(l.all, func(s setting) bool { return s.name == name })
	switch {
	case at < 0:
		return l.unknown(name)
	case value == "":
		return fmt.Errorf("%s needs a value: write it after a =, as in delay=2s", name)
	case l.entry.Options.Pace == nil:
		l.entry.Options.Pace = new(polite.Pace)
	}
	if err := l.all[at].read(l.entry.Options.Pace, value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if name == "group" {
		l.entry.group = value
	}
	return nil
}

func (l *entryLine) unknown(name string) error {
	var names []string
	for _, s := range l.all {
		names = append(names, s.name)
	}
	names = append(names, "together", "agreed", "default", "hours")
	if meant := closest.Name(strings.ToLower(name), names); meant != "" {
		return fmt.Errorf("unknown setting %.40q: write %s", name, meant)
	}
	return fmt.Errorf("unknown setting %.40q: there is %s", name, strings.Join(names, ", "))
}

func (l *entryLine) has(name string) bool { return slices.Contains(l.seen, name) }

// vet returns an error if the settings make no sense together.
func (l *entryLine) vet() error {
	settings := len(l.seen)
	if l.has("hours") {
		settings--
	}
	switch {
	case len(l.seen) == 0:
		return fmt.Errorf("%s has no settings: write some, as in delay=2s, or write default", l.entry.Match)
	case settings == 0:
		return fmt.Errorf("%s has hours and no settings: write some, as in delay=10s, or write default", l.entry.Match)
	case l.has("default") && settings > 1:
		return errors.New("default says that nothing is different: leave it or the other settings out")
	}
	return l.vetGroup()
}

// vetGroup returns an error if the settings of a group make no sense together.
func (l *entryLine) vetGroup() error {
	limited := l.has("group-delay") || l.has("group-concurrency")
	switch group := l.entry.group; {
	case group == "" && limited:
		return errors.New("group-delay and group-concurrency are for a group: write which, as in group=domain")
	case group == noGroup && limited:
		return errors.New("group=none is no group: leave group-delay and group-concurrency out")
	case group == "" || group == noGroup:
		return nil
	}
	pace := l.entry.Options.Pace
	if g := groupOf(pace); g.MinDelay == 0 && g.Concurrency == 0 && pace.Backoff.Off {
		return fmt.Errorf("group=%.60s has no gap and no limit, and with backoff=off no breaks: write group-delay=500ms, or group-concurrency=2", l.entry.group)
	}
	return nil
}

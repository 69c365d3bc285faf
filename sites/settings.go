package sites

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-polite/polite"
)

// A setting is a field of a Pace, with its name in a text.
type setting struct {
	name string
	read func(p *polite.Pace, value string) error
}

// settings returns all settings, in the order of the documentation.
func settings() []setting {
	return []setting{
		duration("delay", polite.NoDelay, func(p *polite.Pace) *time.Duration { return &p.MinDelay }),
		{"jitter", readJitter},
		requests("concurrency", polite.NoLimit, func(p *polite.Pace) *int { return &p.Concurrency }),
		longest("max-delay", ", or none to keep no crawl-delay", map[string]time.Duration{"any": polite.Forever, "none": polite.NoDelay},
			func(p *polite.Pace) *time.Duration { return &p.MaxDelay }),
		only("longer", "refuse", func(p *polite.Pace) *bool { return &p.RefuseLonger }),
		only("backoff", "off", func(p *polite.Pace) *bool { return &p.Backoff.Off }),
		longest("max-wait", ", or max-queue=none to wait for no turn", nil, func(p *polite.Pace) *time.Duration { return &p.MaxWait }),
		{"max-queue", readMaxQueue},
		{"max-retry-after", readMaxRetryAfter},
		{"group", readGroup(ByAddress(nil))},
		duration("group-delay", 0, func(p *polite.Pace) *time.Duration { return &groupOf(p).MinDelay }),
		requests("group-concurrency", 0, func(p *polite.Pace) *int { return &groupOf(p).Concurrency }),
	}
}

// duration returns the setting of a field that is none if the value is zero.
func duration(name string, none time.Duration, field func(*polite.Pace) *time.Duration) setting {
	return setting{name, func(p *polite.Pace, value string) error {
		d, err := parseDuration(value)
		*field(p) = cmp.Or(d, none)
		return err
	}}
}

// longest returns the setting of a field whose zero is its default. or says what to write
// instead of zero. Some values have words.
func longest(name, or string, words map[string]time.Duration, field func(*polite.Pace) *time.Duration) setting {
	return setting{name, func(p *polite.Pace, value string) (err error) {
		d, isWord := words[value]
		if !isWord {
			d, err = parseDuration(value)
		}
		if err == nil && d == 0 {
			err = errors.New("zero means nothing here: write a longer time, as in 30s" + or)
		}
		*field(p) = d
		return err
	}}
}

// only returns the setting of a field that is false unless the value is this word.
func only(name, word string, field func(*polite.Pace) *bool) setting {
	return setting{name, func(p *polite.Pace, value string) error {
		if *field(p) = value == word; value != word {
			return fmt.Errorf("%.30q is not known: write %s, or leave it out", value, word)
		}
		return nil
	}}
}

func parseDuration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	_, bare := strconv.ParseFloat(value, 64)
	switch {
	case err != nil && bare == nil:
		return 0, fmt.Errorf("%.30q has no unit: write it as in %.30ss", value, value)
	case err != nil:
		return 0, fmt.Errorf("%.30q is no time: write it as in 2s, 500ms or 1m30s", value)
	case d < 0:
		return 0, fmt.Errorf("%.30q is less than zero: write it as in 2s", value)
	}
	return d, nil
}

func readJitter(p *polite.Pace, value string) error {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || !(f >= 0) || math.IsInf(f, 0) {
		return fmt.Errorf("%.30q is no number from zero: write it as in 0.5", value)
	}
	if p.Jitter = f; f == 0 {
		p.Jitter = -1 // zero would be as in Transport.Pace
	}
	return nil
}

// requests returns the setting of a field that is a number of requests. The field is unlimited if any
// number is allowed.
func requests(name string, unlimited int, field func(*polite.Pace) *int) setting {
	return setting{name, func(p *polite.Pace, value string) error {
		n, err := strconv.Atoi(value)
		switch {
		case value == "any":
			n = unlimited
		case err != nil || n <= 0:
			return fmt.Errorf("%.30q is no number of requests: write it as in 8, or any", value)
		}
		*field(p) = n
		return nil
	}}
}

func readMaxQueue(p *polite.Pace, value string) error {
	n, err := strconv.Atoi(value)
	switch {
	case value == "none":
		n = polite.NoQueue
	case err != nil || n <= 0:
		return fmt.Errorf("%.30q is no number of requests: write it as in 100, or none", value)
	}
	p.MaxQueue = n
	return nil
}

const day = 24 * time.Hour

func readMaxRetryAfter(p *polite.Pace, value string) error {
	d, err := parseDuration(value)
	if err == nil && (d == 0 || d > day) {
		err = fmt.Errorf("%.30q is not between zero and a day: write it as in 1h", value)
	}
	p.MaxRetryAfter = d
	return err
}

// noGroup is the value of group for sites that are in none.
const noGroup = "none"

// readGroup returns what reads the key of a group. byAddress is that of all lines, so that they
// look an address up once.
func readGroup(byAddress func(*http.Request) string) func(*polite.Pace, string) error {
	return func(p *polite.Pace, value string) error {
		g := groupOf(p)
		switch {
		case value == noGroup:
		case value == "domain":
			g.Key = ByDomain
		case value == "address":
			g.Key = byAddress
		case hasSpace(value):
			return fmt.Errorf("the name %.60q has white space: write a name without", value)
		default:
			g.Key = func(*http.Request) string { return value }
		}
		return nil
	}
}

// groupOf returns the group of p, which it adds if there is none.
func groupOf(p *polite.Pace) *polite.Group {
	if p.Group == nil {
		p.Group = new(polite.Group)
	}
	return p.Group
}

// hasSpace reports whether a name cannot stand in a text.
func hasSpace(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

// Package crawlers knows the names of well-known crawlers, and what their owners say of
// them.
//
// The table is crawlers.csv. To add a crawler, add a line: its product token, its owner,
// what it is for, its manners, the page of the owner that says so, and the day on which
// somebody read it. If nobody has read what the owner says, the last three are empty.
//
// All functions are safe for concurrent use.
package crawlers

import (
	_ "embed"
	"encoding/csv"
	"slices"
	"strings"
	"sync"
)

// A Crawler is a crawler that is well known.
type Crawler struct {
	Name    string `json:"name"` // its product token
	Owner   string `json:"owner"`
	Purpose string `json:"purpose"`           // what it is for
	Manners string `json:"manners,omitempty"` // how it treats robots.txt, as its owner says; "" if nobody has looked
	Source  string `json:"source,omitempty"`  // the URL of the page that says so
	Looked  string `json:"looked,omitempty"`  // when somebody read the page, as in 2026-11-21
}

//go:embed crawlers.csv
var table string

// All returns the crawlers, in the order of the table. The caller may change the slice.
func All() []Crawler { return slices.Clone(all()) }

var all = sync.OnceValue(func() (all []Crawler) {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic(err) // a test reads the same table
	}
	for _, r := range rows[1:] {
		all = append(all, Crawler{r[0], r[1], r[2], r[3], r[4], r[5]})
	}
	return all
})

// names are the crawlers by their names in lower case without "-", "_" and ".", and these
// names in the order of the table.
var names = sync.OnceValues(func() (by map[string]string, bares []string) {
	by = make(map[string]string)
	for _, c := range all() {
		by[bare(c.Name)] = c.Name
		bares = append(bares, bare(c.Name))
	}
	return by, bares
})

// known are the names in lower case.
var known = sync.OnceValue(func() map[string]Crawler {
	known := make(map[string]Crawler)
	for _, c := range all() {
		known[strings.ToLower(c.Name)] = c
	}
	return known
})

// Find returns the crawler with a name, in upper or lower case. ok is false if there is none.
func Find(name string) (c Crawler, ok bool) {
	c, ok = known()[strings.ToLower(name)]
	return c, ok
}

// longest bounds the names that can be like a known one: no such name is longer.
const longest = 40

// Meant returns the known name that an unknown name seems to mean. The two differ in
// their separators, or by one slip. Meant returns "" if written is known itself, or like
// no known name.
func Meant(written string) string {
	if _, ok := Find(written); ok || len(written) > longest {
		return ""
	}
	name := bare(written)
	by, bares := names()
	if meant, ok := by[name]; ok {
		return meant
	}
	for _, known := range bares {
		if isSlip(name, known) {
			return by[known]
		}
	}
	return ""
}

// separators stand in names, and are often left out, put in or mixed up.
var separators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

func bare(name string) string { return separators.Replace(strings.ToLower(name)) }

package main

import (
	"maps"
	"slices"
	"strings"
)

// rows are the mutations of files. A mechanism that goes with one statement, one case or one result is not
// among them: command mutants makes these, and more.
type rows map[string][]row

// A row says how to take a mechanism out.
type row struct {
	without  string // the mechanism
	test     string // that notices; after its folder, where others have its name
	old, new string // old is in the file once
}

// surviving says why no test notices a mutation.
var surviving = map[string]string{
	"a lane that has a gap or a break stays":                        "the counter of a lane mostly remembers its last write, and a break has a window after it",
	"who has asked for robots.txt goes ahead in the lane above":     "it gains three of 100 pages in a fleet 40 ms from its store: without it, the bound of the test fails in 2 of 60 runs",
	"who is refused by the lane above is told when both turns come": "the turn above is mostly the later one",
	"one request of all asks again in the background":               "a fetch is one for all who ask at once, and its answer takes the place of what was known",
	"the last start that is over stays":                             "a start that is over is mostly not the last of which the lane knows",
	"a pause is as long as the longest gap that is known":           "the gap that is asked for is mostly the longest",
}

// table returns all mutations of the repository in a folder.
func table(root string) (all []mutation, err error) {
	folders, err := tests(root)
	for _, part := range []rows{ofLimit, ofLanes, ofTurns, ofRobots, ofStores, ofQueue} {
		for _, file := range slices.Sorted(maps.Keys(part)) {
			for _, r := range part[file] {
				m := mutation{row: r, file: file, survives: surviving[r.without]}
				if folder, name, ok := strings.Cut(r.test, " "); ok {
					m.test, m.folders = name, []string{folder}
				} else {
					m.folders = folders[m.name()]
				}
				all = append(all, m)
			}
		}
	}
	return all, err
}

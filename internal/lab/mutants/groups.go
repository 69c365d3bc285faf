package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A group is a part of the code that is sampled by itself.
type group struct {
	name   string
	weight int      // its part of the sample
	paths  []string // of packages, or of files, below the root
}

// A plan says what is changed, and which tests count.
type plan struct {
	groups []group
	tests  [][]string // the folder of a module, and packages in it, in the form of the go command
}

// readPlan reads a plan, which has a line for each group, "group NAME WEIGHT PATH...", and for each module,
// "tests FOLDER PACKAGE...".
func readPlan(name string) (p plan, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return p, err
	}
	for line := range strings.Lines(string(text)) {
		switch words := strings.Fields(line); {
		case len(words) == 0 || strings.HasPrefix(words[0], "#"):
		case words[0] == "group" && len(words) > 3:
			weight, err := strconv.Atoi(words[2])
			if err != nil || weight <= 0 {
				return p, fmt.Errorf("%s: the weight %q is no number above 0", name, words[2])
			}
			p.groups = append(p.groups, group{words[1], weight, words[3:]})
		case words[0] == "tests" && len(words) > 2:
			p.tests = append(p.tests, words[1:])
		default:
			return p, fmt.Errorf("%s: %q is neither a group nor tests", name, line)
		}
	}
	if len(p.groups) == 0 || len(p.tests) == 0 {
		return p, errors.New(name + " has no group, or no tests")
	}
	return p, nil
}

// shares divides n between groups by their weights.
func shares(groups []group, n int) (of []int) {
	all, before := 0, 0
	for _, g := range groups {
		all += g.weight
	}
	for _, g := range groups {
		after := before + g.weight
		of = append(of, n*after/all-n*before/all)
		before = after
	}
	return of
}

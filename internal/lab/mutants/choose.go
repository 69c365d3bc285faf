package main

import (
	"context"
	"fmt"
	"go/types"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
)

// choose chooses mutants of each group.
func (s sample) choose(ctx context.Context, c *codebase, groups []group) (chosen []*mutant, err error) {
	groups = slices.DeleteFunc(slices.Clone(groups), func(g group) bool { return !s.only.MatchString(g.name) })
	if len(groups) == 0 {
		return nil, fmt.Errorf("no group is named as %s", s.only)
	}
	var folders []string
	for _, g := range groups {
		for _, path := range g.paths {
			folders = append(folders, folderOf(path))
		}
	}
	if err := c.list(ctx, folders); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(s.seed, 0))
	of := shares(groups, s.n)
	for i, g := range groups {
		all, err := c.places(g)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, c.draw(all, of[i], rng)...)
	}
	return chosen, nil
}

// folderOf returns the folder of a path, which is one of a folder or of a file.
func folderOf(path string) string {
	if strings.HasSuffix(path, ".go") {
		return filepath.Dir(path)
	}
	return path
}

// places returns all mutants of a group.
func (c *codebase) places(g group) (all []*mutant, err error) {
	for _, path := range g.paths {
		folder := folderOf(path)
		src, err := c.load(folder)
		if err != nil {
			return nil, err
		}
		constants := make(map[*types.Const]*mutant)
		for _, f := range src.files {
			finder := finder{source: src, file: f, constants: constants}
			finder.walk()
			for _, m := range finder.found {
				if m.group = g.name; path == folder || path == m.file {
					all = append(all, m)
				}
			}
		}
	}
	return all, nil
}

// draw chooses n of all: a kind by chance, then one of it, and one of a line. It leaves out what does not
// compile.
func (c *codebase) draw(all []*mutant, n int, rng *rand.Rand) (chosen []*mutant) {
	kinds := make(map[string][]*mutant)
	for _, i := range rng.Perm(len(all)) {
		kinds[all[i].kind] = append(kinds[all[i].kind], all[i])
	}
	lines := make(map[string]bool)
	for len(chosen) < n && len(kinds) > 0 {
		names := slices.Sorted(maps.Keys(kinds))
		kind := names[rng.IntN(len(names))]
		m := kinds[kind][0]
		if kinds[kind] = kinds[kind][1:]; len(kinds[kind]) == 0 {
			delete(kinds, kind)
		}
		if line := fmt.Sprint(m.file, m.line); !lines[line] && c.accept(m) {
			lines[line] = true
			chosen = append(chosen, m)
		}
	}
	return chosen
}

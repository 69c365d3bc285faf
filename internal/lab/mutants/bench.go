package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// longest is how long tests may take: a mutant that hangs is noticed.
const longest = 2 * time.Minute

// A bench has tests that are built with all mutants.
type bench struct {
	root   string
	folder string // for what it builds
	// budget is how long the tests of other packages may take for one mutant, by what they take without.
	budget time.Duration
	tests  []*test
}

// fail returns the tests that fail by themselves.
func (b *bench) fail() (all []string) {
	for _, t := range b.tests {
		if t.fails {
			all = append(all, t.name+" in "+t.folder)
		}
	}
	return all
}

// A test reaches mutants.
type test struct {
	folder, binary string // folder is that of the package, below the root
	name           string
	took           time.Duration
	reaches        []int
	fails          bool // by itself, without a mutant
}

// build builds the tests of packages, of one module each, which need one that is changed.
func (b *bench) build(ctx context.Context, packages [][]string, changed []string) error {
	var folders []string
	for _, of := range packages {
		args := append([]string{"list", "-test", "-f", `{{.ImportPath}}|{{.Dir}}|{{join .Deps " "}}`}, of[1:]...)
		out, err := output(goCommand(ctx, filepath.Join(b.root, of[0]), args...))
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(out)) {
			words := strings.Split(line, "|")
			needs := strings.Fields(words[2])
			if strings.HasSuffix(words[0], ".test") && slices.ContainsFunc(changed, func(path string) bool { return slices.Contains(needs, path) }) {
				folders = append(folders, words[1])
			}
		}
	}
	var mu sync.Mutex
	var failed error
	each(ctx, folders, func(dir string) {
		tests, err := b.buildOne(ctx, dir)
		mu.Lock()
		defer mu.Unlock()
		b.tests = append(b.tests, tests...)
		failed = errors.Join(failed, err)
	})
	slices.SortFunc(b.tests, func(x, y *test) int { return strings.Compare(x.folder+x.name, y.folder+y.name) })
	return failed
}

func (b *bench) buildOne(ctx context.Context, dir string) (all []*test, err error) {
	folder, err := filepath.Rel(b.root, dir)
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(b.folder, strings.ReplaceAll(folder, string(filepath.Separator), "_")+".test")
	if _, err := output(goCommand(ctx, dir, "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary, ".")); err != nil {
		return nil, err
	}
	list := exec.CommandContext(ctx, binary, "-test.list", "^(Test|Example|Fuzz)")
	list.Dir = dir
	names, err := output(list)
	for _, name := range strings.Fields(string(names)) {
		all = append(all, &test{folder: folder, binary: binary, name: name})
	}
	return all, err
}

// reach runs each test by itself, to see which mutants it reaches.
func (b *bench) reach(ctx context.Context) {
	began := time.Now()
	defer func() { fmt.Printf("%d tests, each by itself, in %.0f s\n", len(b.tests), time.Since(began).Seconds()) }()
	each(ctx, b.tests, func(t *test) {
		file := t.binary + "." + t.name
		defer os.Remove(file)
		began := time.Now()
		out, err := b.run(ctx, []*test{t}, "MUTANT_REACHED="+file)
		t.took = time.Since(began)
		if t.fails = err != nil; t.fails && ctx.Err() == nil {
			fmt.Printf("FAILS by itself: %s in %s\n%s\n", t.name, t.folder, out)
		}
		numbers, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.fails = true
			fmt.Println(err)
		}
		for _, number := range strings.Fields(string(numbers)) {
			if id, err := strconv.Atoi(number); err == nil && !slices.Contains(t.reaches, id) { // two processes may write it
				t.reaches = append(t.reaches, id)
			}
		}
	})
}

// run runs tests of one package. It returns what they print, in part if it is long.
func (b *bench) run(ctx context.Context, tests []*test, env string) (out []byte, err error) {
	temp, err := os.MkdirTemp(b.folder, "temp")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	ctx, stop := context.WithTimeout(ctx, longest+10*time.Second)
	defer stop()
	var names []string
	for _, t := range tests {
		names = append(names, t.name)
	}
	// A mutant may take all memory.
	c := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 12000000; exec "$0" "$@"`, tests[0].binary,
		"-test.run", "^("+strings.Join(names, "|")+")$", "-test.short", "-test.failfast", "-test.timeout", longest.String())
	c.Dir = filepath.Join(b.root, tests[0].folder)
	c.Env = append(os.Environ(), "TMPDIR="+temp, env)
	c.WaitDelay = 5 * time.Second
	var all bytes.Buffer
	c.Stdout, c.Stderr = &all, &all
	err = c.Run()
	const most = 6000
	if out = all.Bytes(); len(out) > most {
		out = slices.Concat(out[:most/2], []byte("\n…\n"), out[len(out)-most/2:])
	}
	return out, err
}

// A result is what became of a mutant.
type result struct {
	*mutant
	of, ran int    // tests that reach it, and those that were run
	by      string // which tests notice it
}

func (r result) String() string {
	switch {
	case r.of == 0:
		return fmt.Sprintf("UNREACHED %s", r.mutant)
	case r.by == "":
		return fmt.Sprintf("SURVIVES  %s\n          %d of %d tests were run; MUTANT=%d", r.mutant, r.ran, r.of, r.id)
	default:
		return fmt.Sprintf("noticed   %s\n          %s", r.mutant, r.by)
	}
}

// try runs the tests that reach a mutant: those of its package, then others, those first that are quick and
// reach little else.
func (b *bench) try(ctx context.Context, m *mutant) (r result) {
	r.mutant = m
	var left []*test
	for _, t := range b.tests {
		if !t.fails && slices.Contains(t.reaches, m.id) {
			left = append(left, t)
		}
	}
	r.of = len(left)
	cost := func(t *test) float64 {
		if t.folder == m.folder {
			return t.took.Seconds() / 1e6
		}
		return float64(len(t.reaches)+5) * (t.took.Seconds() + 0.2)
	}
	slices.SortStableFunc(left, func(x, y *test) int {
		if cost(x) < cost(y) {
			return -1
		}
		return 1
	})
	spent := time.Duration(0)
	for len(left) > 0 && ctx.Err() == nil && r.by == "" {
		var batch, rest []*test
		for _, t := range left {
			other := t.folder != m.folder
			switch {
			case other && spent > b.budget:
			case t.folder == left[0].folder && len(batch) < 12:
				batch = append(batch, t)
				if other {
					spent += t.took
				}
			default:
				rest = append(rest, t)
			}
		}
		left = rest
		if len(batch) > 0 {
			r.ran += len(batch)
			r.by = b.noticed(ctx, m, batch)
		}
	}
	return r
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// noticed names the tests that fail with a mutant, and not without it.
func (b *bench) noticed(ctx context.Context, m *mutant, tests []*test) string {
	out, err := b.run(ctx, tests, "MUTANT="+strconv.Itoa(m.id))
	if err == nil {
		return ""
	}
	failed := slices.DeleteFunc(slices.Clone(tests), func(t *test) bool {
		return !slices.ContainsFunc(failedTest.FindAllSubmatch(out, -1), func(f [][]byte) bool { return string(f[1]) == t.name })
	})
	if len(failed) == 0 { // a panic, or the time is over
		failed = tests
	}
	if _, err := b.run(ctx, failed, "MUTANT="); err != nil {
		return ""
	}
	by := failed[0].name + " in " + failed[0].folder
	if len(failed) > 1 {
		by += fmt.Sprintf(", or one of %d beside it", len(failed)-1)
	}
	return by
}

// report prints which mutants survive, and how many of each group. It returns how many survive.
func report(to io.Writer, results []result) (survive int) {
	type counts struct{ all, noticed, unreached int }
	groups := make(map[string]*counts)
	var names []string
	slices.SortFunc(results, func(a, b result) int { return order(a.mutant, b.mutant) })
	fmt.Fprintln(to, "\nWhat survives:")
	for _, r := range results {
		g := groups[r.group]
		if g == nil {
			g = new(counts)
			groups[r.group] = g
			names = append(names, r.group)
		}
		g.all++
		switch {
		case r.by != "":
			g.noticed++
			continue
		case r.of == 0:
			g.unreached++
		}
		survive++
		fmt.Fprintln(to, r)
	}
	slices.Sort(names)
	for _, name := range names {
		g := groups[name]
		fmt.Fprintf(to, "%-12s %3d mutants: %d noticed, %d survive, %d are reached by no test\n", name, g.all, g.noticed, g.all-g.noticed-g.unreached, g.unreached)
	}
	return survive
}

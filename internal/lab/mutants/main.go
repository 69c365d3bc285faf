// Command mutants makes small changes in polite by chance, and says which of them no test notices.
//
//	go run ./internal/lab/mutants [-seed number] [-n number] [-run regexp] [-keep folder]
//
// Call it in the root of the repository. A mutant is one change: a condition is negated, always or never met, or
// without a part; a bound is moved by one; && and || or + and - are swapped; an argument of min or max, a
// statement, a loop or a case is taken out; a function does nothing; a number is one more or doubled; a result is
// zero or the contrary; an error is nil. The kind is chosen by chance first, then a place. groups.txt says in which
// packages, and which tests count.
//
// All mutants of a sample are in one build, in a copy of the repository, behind switches. So a mutant costs
// no build, and only the tests that reach it run. Each test runs by itself first, to see what it reaches: if
// it fails then, this is told, too. A test that fails with a mutant fails without it as well, or it counts.
// Some mutants change nothing that anybody sees. One that breaks a promise needs a test.
//
// With -keep, a mutant can be looked at by hand, in its package's folder below FOLDER/tree:
//
//	MUTANT=12 FOLDER/internal_lane.test -test.run TestX
//
// Constants in constant expressions, sizes of arrays, capacities and labels are left as they are.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// atOnce is how many tests run at the same time.
const atOnce = 2

// A sample is what is tried.
type sample struct {
	seed   uint64
	n      int
	only   *regexp.Regexp // the names of groups
	folder string         // for the copy and the tests
	budget time.Duration  // see bench
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	var s sample
	flag.Uint64Var(&s.seed, "seed", 1, "choose the mutants by this `number`")
	flag.IntVar(&s.n, "n", 60, "try this `number` of mutants")
	flag.DurationVar(&s.budget, "budget", 12*time.Second, "run tests of other packages for so long for each mutant")
	pattern := flag.String("run", "", "try groups whose name matches this `regexp`")
	keep := flag.String("keep", "", "leave the copy and the tests in this `folder`, to look at mutants by hand")
	flag.Parse()
	if s.only, err = regexp.Compile(*pattern); err != nil {
		return err
	}
	p, err := readPlan("internal/lab/mutants/groups.txt")
	if err != nil {
		return err
	}
	if s.folder = *keep; s.folder == "" {
		if s.folder, err = os.MkdirTemp("", "mutants"); err != nil {
			return err
		}
		defer os.RemoveAll(s.folder)
	}
	results, fail, err := s.try(ctx, ".", p)
	if err != nil {
		return err
	}
	if n := report(os.Stdout, results); n > 0 {
		err = fmt.Errorf("%d mutants of the seed %d survive: one that breaks a promise needs a test", n, s.seed)
	}
	if len(fail) > 0 && ctx.Err() == nil {
		err = errors.Join(err, fmt.Errorf("these fail by themselves: %s", strings.Join(fail, ", ")))
	}
	return errors.Join(err, ctx.Err())
}

// try makes mutants of the repository in a folder, and tries each. It returns the tests that fail by
// themselves, too.
func (s sample) try(ctx context.Context, root string, p plan) (results []result, fail []string, err error) {
	folder, err := filepath.Abs(s.folder)
	if err != nil {
		return nil, nil, err
	}
	c := &codebase{root: filepath.Join(folder, "tree"), sources: make(map[string]*source)}
	if err := os.CopyFS(c.root, os.DirFS(root)); err != nil {
		return nil, nil, err
	}
	mutants, err := s.choose(ctx, c, p.groups)
	if err != nil {
		return nil, nil, err
	}
	changed, err := c.write()
	if err != nil {
		return nil, nil, err
	}
	b := &bench{root: c.root, folder: folder, budget: s.budget}
	if err := b.build(ctx, p.tests, changed); err != nil {
		return nil, nil, err
	}
	b.reach(ctx)
	var mu sync.Mutex
	each(ctx, mutants, func(m *mutant) {
		r := b.try(ctx, m)
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() == nil {
			results = append(results, r)
			fmt.Println(r)
		}
	})
	return results, b.fail(), nil
}

// each calls f with all of a list, some at the same time, until the context ends.
func each[T any](ctx context.Context, all []T, f func(T)) {
	next := make(chan T)
	var calls sync.WaitGroup
	for range atOnce {
		calls.Go(func() {
			for one := range next {
				f(one)
			}
		})
	}
	for _, one := range all {
		if ctx.Err() == nil {
			next <- one
		}
	}
	close(next)
	calls.Wait()
}

// order compares mutants by where they are.
func order(a, b *mutant) int {
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
}

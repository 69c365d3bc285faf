// Command against compares the working tree with a commit of this repository:
//
//	go run -C internal/lab/benchmarks ./against [-rounds 8] COMMIT
//
// It builds the benchmarks in both trees, and lets both print their figures in turn. For each figure it prints
// the least of all rounds, and the ratio: below 1, the working tree is faster. Both trees are measured by the
// benchmarks of the working tree. They use exported API alone, so that COMMIT can be old.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

func main() {
	rounds := flag.Int("rounds", 8, "how often each tree is measured")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: go run -C internal/lab/benchmarks ./against [-rounds n] COMMIT")
	}
	if err := compare(flag.Arg(0), *rounds); err != nil {
		log.Fatal(err)
	}
}

func compare(commit string, rounds int) (err error) {
	root, err := run("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	tree := strings.TrimSpace(string(root))
	folder, err := os.MkdirTemp("", "against-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	old := filepath.Join(folder, "tree")
	if _, err := run(tree, "git", "worktree", "add", "--detach", old, commit); err != nil {
		return err
	}
	defer run(tree, "git", "worktree", "remove", "--force", old)
	if err := lend(tree, old); err != nil {
		return err
	}
	before, err := build(old, filepath.Join(folder, "before"))
	if err != nil {
		return err
	}
	now, err := build(tree, filepath.Join(folder, "now"))
	if err != nil {
		return err
	}
	for i := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", i+1, rounds)
		for _, p := range []*program{before, now} {
			if err := p.measure(); err != nil {
				return err
			}
		}
	}
	return print(commit, before, now)
}

// lend copies the benchmarks of one tree, and what reads the corpus for them, to another.
func lend(from, to string) error {
	for _, folder := range []string{"internal/lab/benchmarks", "internal/lab/corpus"} {
		target := filepath.Join(to, folder)
		if err := os.RemoveAll(target); err != nil {
			return err
		}
		if err := os.CopyFS(target, os.DirFS(filepath.Join(from, folder))); err != nil {
			return err
		}
	}
	return nil
}

// A program prints the figures of one tree.
type program struct {
	path  string
	names []string                      // of the figures, in the order in which it prints them
	least map[string]map[string]float64 // by figure and line
}

// build builds the program of a tree. An old tree may need other versions of modules than the benchmarks name.
func build(tree, path string) (*program, error) {
	_, err := run(filepath.Join(tree, "internal/lab/benchmarks"), "go", "build", "-mod=mod", "-buildvcs=false", "-o", path, ".")
	return &program{path: path, least: make(map[string]map[string]float64)}, err
}

// measure runs the program once more.
func (p *program) measure() error {
	out, err := run("", p.path, "figures")
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), "\t")
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return err
		}
		figure, line, _ := strings.Cut(name, "/")
		if p.least[figure] == nil {
			p.names, p.least[figure] = append(p.names, figure), make(map[string]float64)
		}
		if least, known := p.least[figure][line]; !known || value < least {
			p.least[figure][line] = value
		}
	}
	return nil
}

// figure returns the greatest of the lines of a figure: the worst of several cases.
func (p *program) figure(name string) float64 {
	return slices.Max(slices.Collect(maps.Values(p.least[name])))
}

// noticed is the ratio from which a change says in its commit why it is slower.
const noticed = 1.03

func print(commit string, before, now *program) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "\t%s\tnow\tratio\t\t\n", commit)
	for _, name := range now.names {
		was, is, remark := before.figure(name), now.figure(name), ""
		ratio := is / was
		if ratio > noticed {
			remark = "slower"
		}
		fmt.Fprintf(table, "%s\t%.4g\t%.4g\t%.2f\t%s\t\n", name, was, is, ratio, remark)
	}
	return table.Flush()
}

func run(folder, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = folder
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, &problem)
	}
	return out, nil
}

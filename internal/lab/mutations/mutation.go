package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A mutation takes a mechanism out.
type mutation struct {
	row
	file    string
	folders []string // that have the test: one, or the table is wrong
}

// longest is how long a test may take: a mutant that hangs is noticed.
const longest = time.Minute

// An outcome is what became of a mutation.
type outcome int

const (
	noticed  outcome = iota
	survived         // no test notices
	broken           // the table is wrong
)

type result struct {
	mutation
	outcome
	line int    // of the file
	how  string // the test fails, or what is wrong
}

func (r result) String() string {
	what := [...]string{"noticed", "SURVIVES", "BROKEN"}[r.outcome]
	return fmt.Sprintf("%-9s %-72s %s:%d\n          %s", what, r.without, r.file, r.line, r.how)
}

// try tries m with files in dir.
func (m mutation) try(ctx context.Context, dir string) (r result) {
	r = result{mutation: m, outcome: broken}
	mutant, line, err := m.apply(".")
	if err != nil {
		r.how = err.Error()
		return r
	}
	r.line = line
	if len(m.folders) != 1 {
		r.how = fmt.Sprintf("%d packages have a test %s, and not one", len(m.folders), m.test)
		return r
	}
	binary, err := m.build(ctx, mutant, dir)
	if err != nil {
		r.how = err.Error()
		return r
	}
	defer os.Remove(binary)
	r.outcome, r.how = m.judge(ctx, binary)
	return r
}

// apply returns the text of the mutant, and the line where it differs.
func (m mutation) apply(root string) (mutant []byte, line int, err error) {
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, 0, err
	}
	if n := bytes.Count(text, []byte(m.old)); n != 1 {
		return nil, 0, fmt.Errorf("%s has this %d times, and not once: %s", m.file, n, m.old)
	}
	at := bytes.Index(text, []byte(m.old))
	return bytes.Replace(text, []byte(m.old), []byte(m.new), 1), 1 + bytes.Count(text[:at], []byte("\n")), nil
}

// name returns the name of the function of the test.
func (m mutation) name() string {
	name, _, _ := strings.Cut(m.test, "/")
	return name
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)

// tests returns the folders that have a test, for each name.
func tests(root string) (map[string][]string, error) {
	folders := make(map[string][]string)
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		for _, match := range testFunction.FindAllSubmatch(text, -1) {
			folders[string(match[1])] = append(folders[string(match[1])], path.Dir(file))
		}
		return err
	})
	return folders, err
}

// build builds the tests of a folder with the mutant.
func (m mutation) build(ctx context.Context, mutant []byte, dir string) (binary string, err error) {
	dir, err = os.MkdirTemp(dir, "mutant")
	if err != nil {
		return "", err
	}
	file, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	text, list, binary := filepath.Join(dir, "text"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "test")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: text}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(text, mutant, 0o600), os.WriteFile(list, overlay, 0o600)); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", list, "-o", binary, ".")
	build.Dir = m.folders[0]
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("it does not build: %w: %s", err, output)
	}
	return binary, nil
}

// judge runs the test.
func (m mutation) judge(ctx context.Context, binary string) (outcome, string) {
	began := time.Now()
	test := exec.CommandContext(ctx, binary, "-test.run", exactly(m.test), "-test.timeout", longest.String(), "-test.v")
	test.Dir = m.folders[0]
	output, err := test.CombinedOutput()
	took := fmt.Sprintf("%s (%.1f s)", m.test, time.Since(began).Seconds())
	switch fails := err != nil; {
	case fails && ctx.Err() != nil:
		return broken, ctx.Err().Error()
	case fails && bytes.Contains(output, []byte("panic: test timed out")):
		return noticed, took + " hangs"
	case fails:
		return noticed, took
	case !bytes.Contains(output, []byte("--- PASS: ")):
		return broken, took + " was not run"
	default:
		return survived, took + " does not notice"
	}
}

// exactly returns the pattern of one test.
func exactly(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

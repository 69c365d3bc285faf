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
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A mutation takes a mechanism out.
type mutation struct {
	without  string // the mechanism
	file     string
	old, new string // old is in the file once
	test     string // that notices
	in       string // a folder; the test is in one of the packages there
	survives string // why no test notices; empty for all but a few
}

// conduct has the tests of how polite behaves, seen from outside.
const conduct = "internal/conduct"

// longest is how long a test may take: a mutant that hangs is noticed.
const longest = time.Minute

// An outcome is what became of a mutation.
type outcome int

const (
	noticed  outcome = iota
	known            // no test notices, as the table says
	survived         // no test notices, and the table does not say so
	broken           // the table is wrong
)

type result struct {
	mutation
	outcome
	line int    // of the file
	how  string // the test fails, or what is wrong
}

func (r result) String() string {
	what := [...]string{"noticed", "known to survive", "SURVIVES", "BROKEN"}[r.outcome]
	return fmt.Sprintf("%-9s %-72s %s:%d\n          %s", what, r.without, r.file, r.line, r.how)
}

// try tries m with files in dir.
func (m mutation) try(ctx context.Context, dir, search string) (r result) {
	r = result{mutation: m, outcome: broken}
	mutant, line, err := m.apply(".")
	if err != nil {
		r.how = err.Error()
		return r
	}
	r.line = line
	folder, err := m.folder(".")
	if err != nil {
		r.how = err.Error()
		return r
	}
	binary, err := m.build(ctx, mutant, folder, dir)
	if err != nil {
		r.how = err.Error()
		return r
	}
	defer os.Remove(binary)
	r.outcome, r.how = m.judge(ctx, binary, folder)
	if r.outcome == survived && search != "" {
		r.how += "; " + m.search(ctx, filepath.Join(filepath.Dir(binary), overlayFile), search)
	}
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

// folder returns the folder of the test.
func (m mutation) folder(root string) (string, error) {
	name, _, _ := strings.Cut(m.test, "/")
	var found []string
	err := filepath.WalkDir(filepath.Join(root, m.in), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if dir := filepath.Dir(path); bytes.Contains(text, []byte("\nfunc "+name+"(t *testing.T)")) && !slices.Contains(found, dir) {
			found = append(found, dir)
		}
		return err
	})
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%d packages in %s have a test %s, and not one", len(found), m.in, name)
	}
	return strings.Join(found, " "), err
}

// overlayFile is what go build reads beside the binary.
const overlayFile = "overlay.json"

// build builds the tests of a folder with the mutant.
func (m mutation) build(ctx context.Context, mutant []byte, folder, dir string) (binary string, err error) {
	dir, err = os.MkdirTemp(dir, "mutant")
	if err != nil {
		return "", err
	}
	file, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	text, list, binary := filepath.Join(dir, "text"), filepath.Join(dir, overlayFile), filepath.Join(dir, "test")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: text}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(text, mutant, 0o600), os.WriteFile(list, overlay, 0o600)); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", list, "-o", binary, ".")
	build.Dir = folder
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("it does not build: %w: %s", err, output)
	}
	return binary, nil
}

// judge runs the test.
func (m mutation) judge(ctx context.Context, binary, folder string) (outcome, string) {
	began := time.Now()
	output, err := runTests(ctx, binary, folder, "-test.run", exactly(m.test), "-test.timeout", longest.String())
	took := fmt.Sprintf("%s (%.1f s)", m.test, time.Since(began).Seconds())
	switch fails := err != nil; {
	case fails && ctx.Err() != nil:
		return broken, ctx.Err().Error()
	case fails && m.survives != "":
		return broken, took + " notices now: take away why it survives"
	case fails && bytes.Contains(output, []byte("panic: test timed out")):
		return noticed, took + " hangs"
	case fails:
		return noticed, took
	case !bytes.Contains(output, []byte("--- PASS: ")):
		return broken, took + " was not run"
	case m.survives != "":
		return known, m.survives
	default:
		return survived, took + " does not notice"
	}
}

// search runs tests of all packages in the folder of m, and says which notice.
func (m mutation) search(ctx context.Context, overlay, pattern string) string {
	all := exec.CommandContext(ctx, "go", "test", "-vet=off", "-overlay", overlay, "-run", pattern, "-timeout", "10m", "./...")
	all.Dir = m.in
	output, _ := all.CombinedOutput()
	var found []string
	for _, match := range regexp.MustCompile(`(?m)^--- FAIL: (\S+ \S+)`).FindAllSubmatch(output, -1) {
		found = append(found, string(match[1]))
	}
	if bytes.Contains(output, []byte("panic: ")) {
		found = append(found, "and it panics")
	}
	return fmt.Sprintf("these do: %s", strings.Join(found, ", "))
}

func runTests(ctx context.Context, binary, folder string, flags ...string) ([]byte, error) {
	test := exec.CommandContext(ctx, binary, append(flags, "-test.v")...)
	test.Dir = folder
	return test.CombinedOutput()
}

// exactly returns the pattern of one test.
func exactly(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

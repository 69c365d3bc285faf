package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// standard is the package of the standard library.
const standard = "net/http"

// options say which tests are run, and how.
type options struct {
	run, skip string
	exempt    bool
	off       bool
}

// A subject has tests that are run.
type subject struct {
	name     string
	dir      string            // where go test is called
	packages []string          // to be tested
	hooks    map[string]string // the package clauses of files of tests for the hook, by path
	temp     string
}

// prepare returns a subject. A module is copied first, since nothing can be added to it where it lies.
func prepare(ctx context.Context, temp, name string) (*subject, error) {
	if name == standard {
		root, err := goroot(ctx)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(root, "src", "net", "http", "politely_test.go")
		return &subject{name: name, dir: ".", packages: []string{standard}, hooks: map[string]string{file: "http_test"}, temp: temp}, nil
	}
	for _, m := range modules {
		if m.name == name {
			return m.prepare(ctx, temp)
		}
	}
	return nil, errors.New("not in modules.go")
}

// test runs the tests of s, and reports which pass.
func (s *subject) test(ctx context.Context, o options, politely bool) (passes map[string]bool, err error) {
	args := []string{"test", "-json", "-count=1", "-vet=off", "-timeout=10m", "-run=" + o.run}
	if skip := s.skips(o.skip); skip != "" {
		args = append(args, "-skip="+skip)
	}
	if politely {
		files := make(map[string]string)
		for path, pkg := range s.hooks {
			files[path] = hookIn(pkg, o)
		}
		overlay, err := overlay(ctx, s.temp, files)
		if err != nil {
			return nil, err
		}
		args = append(args, "-overlay="+overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, s.packages...)...)
	cmd.Dir = s.dir
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	failure := cmd.Run()
	if passes = resultsOf(out.Bytes()); len(passes) == 0 {
		return nil, fmt.Errorf("%w: %s%s", failure, problems.String(), out.String())
	}
	name := "plain"
	if politely {
		name = "politely"
	}
	return passes, os.WriteFile(s.output(name), out.Bytes(), 0o600)
}

// output returns the name of the file that keeps the output of the tests, to be looked at.
func (s *subject) output(name string) string {
	return filepath.Join(os.TempDir(), "nethttp-"+strings.ReplaceAll(s.name, "/", "-")+"-"+name+".json")
}

// skips returns what is skipped: what never ends with polite, and what the user skips.
func (s *subject) skips(more string) string {
	var all []string
	for _, e := range expected {
		if e.subject == s.name && e.endless {
			all = append(all, e.tests)
		}
	}
	if more != "" {
		all = append(all, more)
	}
	return strings.Join(all, "|")
}

// resultsOf reads the output of go test -json. A test without an end has not passed.
func resultsOf(out []byte) map[string]bool {
	passes := make(map[string]bool)
	for line := range bytes.Lines(out) {
		var event struct{ Action, Package, Test string }
		if json.Unmarshal(line, &event) != nil || event.Test == "" {
			continue
		}
		test := event.Package + " " + event.Test
		switch event.Action {
		case "run", "fail":
			passes[test] = false
		case "pass", "skip":
			passes[test] = true
		}
	}
	return passes
}

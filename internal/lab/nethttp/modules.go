package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A module comes with tests, in the Go module proxy.
type module struct {
	name, path, version string
	packages            []string // that are tested: folders
}

var modules = []module{
	{"colly", "github.com/gocolly/colly/v2", "v2.3.0", []string{"."}},
	{"resty", "resty.dev/v3", "v3.0.0-rc.4", []string{"."}},
	{"go-github", "github.com/google/go-github/v82", "v82.0.0", []string{"github"}},
	{"goproxy", "github.com/elazarl/goproxy", "v1.8.3", []string{"."}},
}

// prepare copies m, and lets it use polite.
func (m module) prepare(ctx context.Context, temp string) (*subject, error) {
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", m.path+"@"+m.version).Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w: %s", err, out)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, err
	}
	dir := filepath.Join(temp, m.name)
	if err := copyTree(dir, found.Dir); err != nil {
		return nil, err
	}
	polite, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"mod", "edit", "-require=github.com/go-polite/polite@v0.0.0", "-replace=github.com/go-polite/polite=" + polite},
		{"mod", "tidy", "-e"},
	} {
		if err := m.command(ctx, dir, args); err != nil {
			return nil, err
		}
	}
	s := &subject{name: m.name, dir: dir, temp: temp, hooks: make(map[string]string)}
	for _, folder := range m.packages {
		at := filepath.Join(dir, folder)
		pkg, err := exec.CommandContext(ctx, "go", "-C", at, "list", "-f", "{{.Name}}").Output()
		if err != nil {
			return nil, err
		}
		s.packages = append(s.packages, "./"+folder)
		s.hooks[filepath.Join(at, "politely_test.go")] = strings.TrimSpace(string(pkg)) + "_test"
	}
	return s, nil
}

// command calls go. What tidy needs is known first: the hook is no file of the module.
func (m module) command(ctx context.Context, dir string, args []string) error {
	uses := filepath.Join(dir, "politely_test.go")
	if err := os.WriteFile(uses, []byte("package polite_test\n\nimport _ \"github.com/go-polite/polite\"\n"), 0o600); err != nil {
		return err
	}
	defer os.Remove(uses)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// copyTree copies the files below from, which may be read-only.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o600)
	})
}

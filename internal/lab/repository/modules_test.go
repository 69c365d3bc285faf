package repository

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What others import, or copy, uses the exported API of the root alone. Otherwise a change
// that leaves the API as it is breaks a module, as others may get one with a newer root.
// Commands are left out: each is installed with the root that its module requires.
func TestModulesUseTheAPI(t *testing.T) {
	for _, dir := range []string{"otelpolite", "store/redisfleet", "webbotauth", "examples"} {
		t.Run(dir, func(t *testing.T) { assert.Empty(t, internals(t, dir)) })
	}
}

// internals returns which files below a folder import which internal packages of the root.
// Tests are left out, and commands: a folder cmd, and what is below it.
func internals(t *testing.T, dir string) (found []string) {
	err := fs.WalkDir(os.DirFS(Root), dir, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "cmd"):
			return fs.SkipDir
		case path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(Root, file), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			of, ours := strings.CutPrefix(imported, module+"/")
			if ours && !strings.HasPrefix(of, dir+"/") && slices.Contains(strings.Split(of, "/"), "internal") {
				found = append(found, fmt.Sprintf("%s: %s", file, of))
			}
		}
		return nil
	})
	require.NoError(t, err)
	return found
}

// What can be executed is a script. A program that somebody built stays in every copy for ever.
func TestNothingBuiltIsKept(t *testing.T) {
	command := exec.Command("git", "ls-files", "--stage")
	command.Dir = Root
	listed, err := command.Output()
	if err != nil {
		t.Skip("this is no checkout of git: ", err)
	}
	for line := range strings.Lines(string(listed)) {
		head, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if !strings.HasPrefix(head, "100755 ") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(Root, name))
		require.NoError(t, err)
		assert.True(t, bytes.HasPrefix(text, []byte("#!")), name)
	}
}

package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every line of shell can be run: the packages and tests that a line names are there. The
// tests in cmd/polite run the lines that are its own.
func TestShell(t *testing.T) {
	for _, b := range Blocks(t, "sh") {
		for _, command := range b.Commands() {
			if words := strings.Fields(command); words[0] != "polite" {
				checkGo(t, b, words)
			}
		}
	}
}

const module = "github.com/go-polite/polite"

var valued = []string{"-run", "-fuzz", "-bench"} // options whose value is the name of a test

// checkGo checks a go command, or one that is a file of the repository.
func checkGo(t *testing.T, b Block, words []string) {
	if words[0] != "go" {
		_, err := os.Stat(filepath.Join(Root, words[0]))
		assert.NoError(t, err, "%v", b)
		return
	}
	var dirs []string
	base := Root
	if words[2] == "-C" {
		base = filepath.Join(Root, words[3])
	}
	for _, word := range words[2:] {
		word, _, _ = strings.Cut(strings.TrimSuffix(word, "/..."), "@")
		if dir, ok := strings.CutPrefix(word, module); ok || word == "." || strings.HasPrefix(word, "./") {
			dirs = append(dirs, filepath.Join(Root, dir))
			if !ok {
				dirs[len(dirs)-1] = filepath.Join(base, word)
			}
		}
	}
	if !assert.NotEmpty(t, dirs, "%v: %s", b, words) || !assert.DirExists(t, dirs[0], "%v", b) {
		return
	}
	for i, word := range words {
		if slices.Contains(valued, word) {
			assert.Regexp(t, `(?m)^func `+strings.Trim(words[i+1], "'^$"), testsIn(t, dirs[0]), "%v: %s", b, words)
		}
	}
}

var anyTest = regexp.MustCompile(`(?m)^func (Test|Fuzz|Benchmark)\w+`)

// testsIn returns the first line of each test in a folder.
func testsIn(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, anyTest.FindAllString(string(text), -1)...)
	}
	return strings.Join(all, "\n")
}

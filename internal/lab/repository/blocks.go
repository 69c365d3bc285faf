package repository

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Root is the root of the repository, as seen from the folder of the test.
var Root = root(".")

// root returns the nearest folder above dir in which transport.go is.
func root(dir string) string {
	for range 10 {
		if _, err := os.Stat(filepath.Join(dir, "transport.go")); err == nil {
			return dir
		}
		dir = filepath.Join("..", dir)
	}
	return dir
}

// A Block is a fenced block of a page. If it follows this comment of HTML, which a
// reader does not see, it is run, and must print the text:
//
//	<!-- prints: text -->
//
// If it follows this one, the commands of the page find it in a file of that name:
//
//	<!-- file: name -->
type Block struct {
	Page     string // its path from the root
	Line     int    // of its first line
	Language string // after the fence
	Prints   string // what it prints; "" if it is not run
	File     string // its name; "" if it is in none
	Text     string
}

func (b Block) String() string { return fmt.Sprintf("%s:%d", b.Page, b.Line) }

// Pages returns the paths of what people read, from the root.
func Pages(t testing.TB) (paths []string) {
	for _, pattern := range []string{"*.md", ".github/*.md", "docs/*.md"} {
		matches, err := filepath.Glob(filepath.Join(Root, pattern))
		require.NoError(t, err)
		for _, match := range matches {
			path, err := filepath.Rel(Root, match)
			require.NoError(t, err)
			paths = append(paths, filepath.ToSlash(path))
		}
	}
	require.Contains(t, paths, "README.md")
	return paths
}

// ReadPage returns the text of a page.
func ReadPage(t testing.TB, page string) string {
	text, err := os.ReadFile(filepath.Join(Root, page))
	require.NoError(t, err)
	return string(text)
}

// Blocks returns the blocks of all pages that are in one of the languages.
func Blocks(t testing.TB, languages ...string) (all []Block) {
	for _, page := range Pages(t) {
		for _, b := range BlocksOf(t, page) {
			if slices.Contains(languages, b.Language) {
				all = append(all, b)
			}
		}
	}
	require.NotEmpty(t, all)
	return all
}

var (
	prints = regexp.MustCompile(`^<!-- prints: (.*) -->$`)
	inFile = regexp.MustCompile(`^<!-- file: (.*) -->$`)
)

// BlocksOf returns the blocks of a page.
func BlocksOf(t testing.TB, page string) (all []Block) {
	var open *Block
	printed, file, n := "", "", 0
	for line := range strings.Lines(ReadPage(t, page)) {
		n++
		language, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && open == nil:
			open = &Block{Page: page, Line: n + 1, Language: language, Prints: printed, File: file}
		case fence:
			all, open = append(all, *open), nil
		case open != nil:
			open.Text += line
		}
		printed, file = "", ""
		if match := inFile.FindStringSubmatch(strings.TrimSpace(line)); match != nil {
			file = match[1]
		}
		if match := prints.FindStringSubmatch(strings.TrimSpace(line)); match != nil {
			printed = match[1]
		}
	}
	return all
}

// environment is what a line of shell adds to the environment.
var environment = regexp.MustCompile(`^POLITE_\w+=\S+ `)

// Commands returns what the lines of a block of shell run, without their comments.
func (b Block) Commands() (commands []string) {
	for line := range strings.Lines(b.Text) {
		words, _, _ := strings.Cut(line, "  #")
		if words = environment.ReplaceAllString(strings.TrimSpace(words), ""); words != "" && words[0] != '#' {
			commands = append(commands, words)
		}
	}
	return commands
}

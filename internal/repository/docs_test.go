package repository

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A block is a fenced block of a page. If it follows this comment of HTML, which a
// reader does not see, it is run, and must print the text:
//
//	<!-- prints: text -->
//
// If it follows this one, the commands of the page find it in a file of that name:
//
//	<!-- file: name -->
type block struct {
	page     string // its path from the root
	line     int    // of its first line
	language string // after the fence
	prints   string // what it prints; "" if it is not run
	file     string // its name; "" if it is in none
	text     string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// pages returns the paths of what people read, from the root.
func pages(t *testing.T) (paths []string) {
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		matches, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		for _, match := range matches {
			path, err := filepath.Rel(root, match)
			require.NoError(t, err)
			paths = append(paths, filepath.ToSlash(path))
		}
	}
	require.Contains(t, paths, "README.md")
	return paths
}

func readPage(t *testing.T, page string) string {
	text, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	return string(text)
}

var (
	prints = regexp.MustCompile(`^<!-- prints: (.*) -->$`)
	inFile = regexp.MustCompile(`^<!-- file: (.*) -->$`)
)

// blocks returns the blocks of all pages that are in one of the languages.
func blocks(t *testing.T, languages ...string) (all []block) {
	for _, page := range pages(t) {
		for _, b := range blocksOf(page, readPage(t, page)) {
			for _, language := range languages {
				if b.language == language {
					all = append(all, b)
				}
			}
		}
	}
	require.NotEmpty(t, all)
	return all
}

func blocksOf(page, text string) (all []block) {
	var open *block
	printed, file, n := "", "", 0
	for line := range strings.Lines(text) {
		n++
		language, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && open == nil:
			open = &block{page: page, line: n + 1, language: language, prints: printed, file: file}
		case fence:
			all, open = append(all, *open), nil
		case open != nil:
			open.text += line
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

// Every block is in a language that has a test here, or is called text.
func TestBlocks(t *testing.T) {
	for _, page := range pages(t) {
		for _, b := range blocksOf(page, readPage(t, page)) {
			if page == "docs/speed.md" && b.language == "" {
				continue // what benchmarks print, which is different each time
			}
			assert.Contains(t, []string{"go", "sh", "bash", "yaml", "console", "robots.txt", "text"}, b.language, "%v", b)
			if b.prints != "" {
				assert.Equal(t, "go", b.language, "%v", b)
			}
		}
	}
}

// The README is short, and begins with the two commands that show that all is well.
func TestReadme(t *testing.T) {
	text := readPage(t, "README.md")
	assert.LessOrEqual(t, strings.Count(text, "\n"), 150)
	first := blocksOf("README.md", text)[0]
	var commands []string
	for line := range strings.Lines(first.text) {
		command, _, _ := strings.Cut(line, "#")
		commands = append(commands, strings.TrimSpace(command))
	}
	assert.Equal(t, []string{"go run -C cmd/polite . demo", "go test ./..."}, commands)
}

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	link    = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped = regexp.MustCompile("[^a-z0-9 _-]")
)

// Links within the repository lead somewhere.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(readPage(t, page), ""), -1) {
			target, anchor := filepath.ToSlash(filepath.Join(filepath.Dir(page), match[1])), match[2]
			if match[1] == "" {
				target = page
			}
			_, err := os.Stat(filepath.Join(root, target))
			if assert.NoError(t, err, page) && anchor != "" {
				assert.Contains(t, anchors(readPage(t, target)), anchor, "%s: %s", page, match[0])
			}
		}
	}
}

// anchors returns what the headings of a page are called in links to them.
func anchors(text string) (names []string) {
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		names = append(names, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-"))
	}
	return names
}

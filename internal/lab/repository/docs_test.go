package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Every block is in a language that has a test here, or is called text.
func TestBlocks(t *testing.T) {
	for _, page := range Pages(t) {
		for _, b := range BlocksOf(t, page) {
			if page == "docs/speed.md" && b.Language == "" {
				continue // what benchmarks print, which is different each time
			}
			assert.Contains(t, []string{"go", "sh", "bash", "yaml", "console", "robots.txt", "text"}, b.Language, "%v", b)
			if b.Prints != "" {
				assert.Equal(t, "go", b.Language, "%v", b)
			}
		}
	}
}

// The README is short, and begins with the two commands that show that all is well.
func TestReadme(t *testing.T) {
	text := ReadPage(t, "README.md")
	assert.LessOrEqual(t, strings.Count(text, "\n"), 150)
	assert.Equal(t, []string{"go run ./examples/demo", "go test ./..."}, BlocksOf(t, "README.md")[0].Commands())
}

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	link    = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped = regexp.MustCompile("[^a-z0-9 _-]")
)

// Links within the repository lead somewhere.
func TestLinks(t *testing.T) {
	for _, page := range Pages(t) {
		for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(ReadPage(t, page), ""), -1) {
			target, anchor := filepath.ToSlash(filepath.Join(filepath.Dir(page), match[1])), match[2]
			if match[1] == "" {
				target = page
			}
			_, err := os.Stat(filepath.Join(Root, target))
			if assert.NoError(t, err, page) && anchor != "" {
				assert.Contains(t, anchors(ReadPage(t, target)), anchor, "%s: %s", page, match[0])
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

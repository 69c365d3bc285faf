package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/diff"
	"github.com/stretchr/testify/assert"
)

// However bad two files are, comparing them takes a limited effort. If Verdicts leaves
// something out, it says so.
func TestHostile(t *testing.T) {
	long.NotShort(t)
	for name, line := range map[string]func(file, i int) string{
		"prefixes":      func(file, i int) string { return fmt.Sprintf("%s: /%d\n", verdict(file+i), i) },
		"of each other": func(file, i int) string { return fmt.Sprintf("%s: /%s\n", verdict(file+i), strings.Repeat("a", i%250)) },
		"wildcards":     func(file, i int) string { return fmt.Sprintf("%s: /*%d*a*\n", verdict(file+i), i) },
		"many wildcards": func(file, i int) string {
			return fmt.Sprintf("%s: /%s%d\n", verdict(file+i), strings.Repeat("a*", 100), i)
		},
		"alternations": func(file, i int) string {
			return fmt.Sprintf("%s: /%s%d\n", verdict(file+i), strings.Repeat("*a*b", 5), i)
		},
		"forms": func(file, i int) string {
			return fmt.Sprintf("%s: %s%d\n", verdict(file+i), strings.Repeat("*%2F", 50), i)
		},
		"every character": func(file, i int) string {
			return fmt.Sprintf("%s: /%c*%c\n", verdict(file+i), rune(33+i%94), rune(33+i/94%94))
		},
		"one literal": func(file, i int) string {
			return fmt.Sprintf("%s: /%s\n", verdict(file), strings.Repeat("\xff", robots.MaxSize/(2-file)-100))
		},
		"one pattern": func(file, i int) string {
			return fmt.Sprintf("%s: /%s\n", verdict(file), strings.Repeat("*a", 100_000))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains([]string{"of each other", "one literal", "one pattern", "alternations"}, name) {
				long.Only(t)
			}
			changes, all, spent := diff.Compare(hostile(line, 0), hostile(line, 1))
			t.Logf("%d spent, %d changes, all: %v", spent, len(changes), all)
			assert.LessOrEqual(t, spent, diff.MaxSpent+diff.MaxSpent/100)
			assert.Equal(t, slices.Contains([]string{"prefixes", "of each other", "one literal"}, name), all)
		})
	}
}

func verdict(n int) string {
	if n%2 == 0 {
		return "allow"
	}
	return "disallow"
}

func hostile(line func(file, i int) string, file int) robots.Rules {
	var b strings.Builder
	b.WriteString("user-agent: *\n")
	for i := 0; b.Len() < robots.MaxSize; i++ {
		b.WriteString(line(file, i))
	}
	return robots.Parse([]byte(b.String())).Rules("a")
}

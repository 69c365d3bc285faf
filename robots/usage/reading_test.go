package usage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// longFiles are as long as a robots.txt can be, and say much about use.
func longFiles() map[string]string {
	fill := func(line string) string { return strings.Repeat(line, (robots.MaxSize-100)/len(line)) }
	var paths strings.Builder
	for i := 0; paths.Len() < robots.MaxSize-100; i++ {
		fmt.Fprintf(&paths, "content-usage: /a%d train-ai=y\n", i)
	}
	return map[string]string{
		"signals":        fill("content-signal: search=yes, ai-input=yes, ai-train=yes\n"),
		"slips":          fill("content-signal: search=yes, ai-input=yes, ai-train:yes\n"),
		"usages":         fill("content-usage: search=y, train-ai=y\n"),
		"one path":       fill("content-usage: /a train-ai=y\n"),
		"paths":          paths.String(),
		"one signal":     "content-signal: " + fill("a=yes,"),
		"one usage":      "content-usage: " + fill("a=y,") + "search=y",
		"keys are slips": fill("content-signals: search=yes, ai-train=yes\n"),
	}
}

// With a Reading, a question allocates for the records that count, and for nothing that
// they say.
func TestReadingAllocates(t *testing.T) {
	for name, body := range longFiles() {
		file := robots.Parse([]byte("user-agent: *\n" + body))
		reading, rules := usage.Read(file), file.Rules("ExampleBot")
		assert.LessOrEqual(t, reading.Size(), len(body), name)
		ask := func(s usage.Statement) func() {
			return func() {
				for _, use := range ofFiles {
					s.Allows(use)
				}
			}
		}
		said := reading.OfRules(rules, "/a")
		assert.Zero(t, testing.AllocsPerRun(5, ask(said)), name)
		if name != "keys are slips" {
			assert.Zero(t, testing.AllocsPerRun(5, ask(said.Strictly())), name)
		}
	}
}

// Rules of another file get answers, if wrong ones.
func TestReadingOfAnotherFile(t *testing.T) {
	file := robots.Parse([]byte("user-agent: *\n" + strings.Repeat("content-signal: search=no\n", 3)))
	said := usage.Read(robots.Parse(nil)).OfRules(file.Rules("a"), "/")
	assert.Equal(t, usage.NotStated, said.Allows(usage.Search))
	_, ok := said.Strictly().Why(usage.Search)
	assert.False(t, ok)
	assert.Positive(t, usage.Read(file).Size())
}

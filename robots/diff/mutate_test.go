package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A mutation changes a file as its author may. It returns the lines of the new file.
type mutation struct {
	name   string
	silent bool // it changes no verdict
	apply  func(r *rand.Rand, lines []string) []string
}

var mutations = []mutation{
	{"a rule added", false, func(r *rand.Rand, lines []string) []string {
		return insert(lines, 1+anyOf(r, lines, isRuleOrAgent), anyRule(r, lines))
	}},
	{"a rule removed", false, func(r *rand.Rand, lines []string) []string {
		i := anyOf(r, lines, isRule)
		return slices.Delete(lines, i, i+1)
	}},
	{"a rule moved", false, func(r *rand.Rand, lines []string) []string {
		i := anyOf(r, lines, isRule)
		rule := lines[i]
		lines = slices.Delete(lines, i, i+1)
		return insert(lines, 1+anyOf(r, lines, isRuleOrAgent), rule)
	}},
	{"a rule widened", false, func(r *rand.Rand, lines []string) []string {
		return rewrite(r, lines, func(p string) string { return p[:1+r.IntN(len(p))] })
	}},
	{"a rule widened by a wildcard", false, func(r *rand.Rand, lines []string) []string {
		return rewrite(r, lines, func(p string) string {
			i := 1 + r.IntN(len(p))
			return p[:i] + "*" + p[min(len(p), i+r.IntN(3)):]
		})
	}},
	{"a rule narrowed", false, func(r *rand.Rand, lines []string) []string {
		return rewrite(r, lines, func(p string) string { return p + pick(r, "$", "a", "/b", "*c", "*.php$", "*%2F", "?q=") })
	}},
	{"a rule turned", false, func(r *rand.Rand, lines []string) []string {
		i := anyOf(r, lines, isRule)
		lines[i] = pick(r, "Allow: ", "Disallow: ") + value(lines[i])
		return lines
	}},
	{"a group split", false, func(r *rand.Rand, lines []string) []string {
		return insert(lines, anyOf(r, lines, isRule), pick(r, "User-agent: GPTBot", "User-agent: *", "User-agent: NewBot"))
	}},
	{"a group joined", false, func(r *rand.Rand, lines []string) []string {
		i := anyOf(r, lines, func(line string) bool { return strings.HasPrefix(strings.ToLower(line), "user-agent:") })
		return slices.Delete(lines, i, i+1)
	}},
	{"a comment added", true, func(r *rand.Rand, lines []string) []string {
		return insert(lines, r.IntN(len(lines)+1), "# Disallow: /")
	}},
	{"blank lines and case", true, func(r *rand.Rand, lines []string) []string {
		i := anyOf(r, lines, isRule)
		key, pattern, _ := strings.Cut(lines[i], ":")
		lines[i] = strings.ToUpper(key) + " :  " + strings.TrimSpace(pattern)
		return insert(lines, i, "")
	}},
}

func isRule(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	return (strings.HasPrefix(line, "allow:") || strings.HasPrefix(line, "disallow:")) && len(value(line)) > 0
}

func isRuleOrAgent(line string) bool {
	return isRule(line) || strings.HasPrefix(strings.ToLower(line), "user-agent:")
}

func value(line string) string {
	_, value, _ := strings.Cut(line, ":")
	value, _, _ = strings.Cut(value, "#")
	return strings.TrimSpace(value)
}

func insert(lines []string, at int, line string) []string { return slices.Insert(lines, at, line) }

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// anyOf returns the index of one of the lines for which is returns true. If there is no
// such line, it adds one.
func anyOf(r *rand.Rand, lines []string, is func(string) bool) int {
	var places []int
	for i, line := range lines {
		if is(line) {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return len(lines) - 1
	}
	return places[r.IntN(len(places))]
}

// anyRule returns a rule like those of the file.
func anyRule(r *rand.Rand, lines []string) string {
	pattern := value(lines[anyOf(r, lines, isRule)])
	if pattern == "" || r.IntN(3) == 0 {
		pattern = pick(r, "/", "/*", "/*.pdf$", "/a", "*?", "/*?sort=*&page=", "/%C3%A9")
	}
	return fmt.Sprint(pick(r, "Allow: ", "Disallow: "), pattern[:1+r.IntN(len(pattern))], pick(r, "", "", "$", "*", "/x"))
}

// rewrite changes the pattern of a rule.
func rewrite(r *rand.Rand, lines []string, change func(pattern string) string) []string {
	i := anyOf(r, lines, isRule)
	pattern := value(lines[i])
	if pattern == "" {
		return lines
	}
	key, _, _ := strings.Cut(lines[i], ":")
	lines[i] = key + ": " + change(pattern)
	return lines
}

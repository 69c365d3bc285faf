package robots_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/require"
)

// maxSteps is the number of steps that no query exceeds: some for each octet of the
// path, and for each rule and octet of the patterns. (A step is a rule, a node, a
// waiter or a word that is looked at, or an octet that is compared.)
func maxSteps(f *robots.File, path string) int {
	rules, octets := f.Extent()
	return 40*robots.Octets(path) + 4*(rules+octets)
}

// maxMatching is the number of steps that are in the budget for matching patterns one
// after the other.
const maxMatching = 128 << 12

// requireBounded requires that a query about path takes no more than maxSteps, both by a
// walk alone and by Match. It returns the number of steps, and their share of the bound.
func requireBounded(t *testing.T, f *robots.File, path string, byWalk bool) (steps int, share float64) {
	t.Helper()
	bound := maxSteps(f, path)
	if byWalk {
		steps = f.Rules("a").StepsByWalk(path)
	} else {
		steps, _ = f.Rules("a").Steps(path)
		bound += maxMatching
	}
	require.LessOrEqual(t, steps, bound)
	return steps, float64(steps) / float64(bound)
}

// hostileFiles are made to be slow. Each comes with the parts of slow paths.
var hostileFiles = []struct {
	name     string
	pattern  func(random *rand.Rand, i int) string
	alphabet string
}{
	{"words", func(r *rand.Rand, i int) string { return "*" + randomWord(r, ten, 9) + "!" }, ten},
	{"words that match", func(r *rand.Rand, i int) string { return "*" + randomWord(r, ten, 4) }, ten},
	{"two in the wrong order", func(r *rand.Rand, i int) string {
		return "*" + randomWord(r, ten, 2) + "*" + randomWord(r, ten, 3) + "!"
	}, ten},
	{"three in the wrong order", func(r *rand.Rand, i int) string {
		return "*" + randomWord(r, ten, 2) + "*" + randomWord(r, ten, 2) + "*" + randomWord(r, ten, 3) + "!"
	}, ten},
	{"nested", func(_ *rand.Rand, i int) string { return "*" + strings.Repeat("a", 1+i%1000) + "!" }, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"},
	{"nested, not awaited", func(_ *rand.Rand, i int) string { return "*!b*" + strings.Repeat("a", 1+i%1000) }, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab!"},
	{"all words of a and b", func(_ *rand.Rand, i int) string { return "*!a*" + binary(i) }, "aab!"},
	{"long", func(_ *rand.Rand, i int) string { return "*" + strings.Repeat("a", 2000+i) + "b" }, "a"},
	{"long words", func(r *rand.Rand, i int) string { return "*" + randomWord(r, ten, 500) }, ten},
	{"one", func(*rand.Rand, int) string { return strings.Repeat("*a*b", 100_000) }, "ab"},
	{"/*a*a*a*a*b", func(*rand.Rand, int) string { return "/*a*a*a*a*b" }, "a"},
	{"/*a*a*a*a*b…", func(_ *rand.Rand, i int) string { return fmt.Sprintf("/*a*a*a*a*b%d", i) }, "a"},
	{"/*a*a*a*a*a*a*a*a*b$", func(*rand.Rand, int) string { return "/" + strings.Repeat("*a", 8) + "*b$" }, "a"},
	{"/*a… (1000), *b", func(*rand.Rand, int) string { return "/" + strings.Repeat("*a", 1000) + "*b" }, "a"},
	{"/*a… (1000 and more), *b", func(_ *rand.Rand, i int) string { return "/" + strings.Repeat("*a", 1000+i) + "*b" }, "a"},
	{"/a{40}b", func(*rand.Rand, int) string { return "/" + strings.Repeat("a", 40) + "b" }, "a"},
	{"/a{i}b", func(_ *rand.Rand, i int) string { return "/" + strings.Repeat("a", i) + "b" }, "a"},
	{"/*a{i}b", func(_ *rand.Rand, i int) string { return "/*" + strings.Repeat("a", i) + "b" }, "a"},
	{"*a{40}b", func(*rand.Rand, int) string { return "*" + strings.Repeat("a", 40) + "b" }, "aaaaaaaaaaaaaaaaaab"},
	{"octets that are there but one", func(*rand.Rand, int) string { return "*aa!" + strings.Repeat("a", 200) }, "a"},
	{"pairs that are there", func(r *rand.Rand, i int) string { return "*" + randomWord(r, "abc", 12) }, "abc"},
	{"query", func(*rand.Rand, int) string { return strings.Repeat("*%3A", 2000) }, "?::::::::::::::::::::"},
	{"query, in two forms", func(r *rand.Rand, i int) string { return "*" + randomWord(r, ten, 3) + "%3A" + randomWord(r, ten, 3) }, ten + ":?%3A"},
	{"query, at the end", func(*rand.Rand, int) string { return "*a%3A$" }, "xa:?"},
	{"encoded", func(r *rand.Rand, i int) string { return "*" + randomWord(r, "\xC0\xC1\xC2", 30) }, "\xC0\xC1\xC2"},
	{"no wildcards", func(_ *rand.Rand, i int) string { return "/" + strings.Repeat("a", i%65) }, "a"},
	{"found by a climber", func(r *rand.Rand, i int) string { return "*ab*bb*" + randomWord(r, "ab", 1+i%3) + "!" }, "aaaaaaaaaab"},
}

const ten = "abcdefghij"

// binary returns the i-th word of "a" and "b", the shortest first.
func binary(i int) string {
	return strings.NewReplacer("0", "a", "1", "b").Replace(fmt.Sprintf("%b", i+2)[1:])
}

// hostileFile returns a file of size bytes of such rules, in groups of so many for
// the same token, or in one if group is 0.
func hostileFile(size, group int, pattern func(i int) string) []byte {
	body := []byte("user-agent: *\n")
	for i := 0; ; i++ {
		line := "allow:" + pattern(i) + "\n"
		if group > 0 && i%group == group-1 {
			line += "user-agent: *\n"
		}
		if len(body)+len(line) > size {
			return body
		}
		body = append(body, line...)
	}
}

func hostileWords(rules int) []byte {
	random := rand.New(rand.NewPCG(1, 9309))
	return hostileFile(rules*len("allow:*abcdefghi!\n")+20, 0, func(int) string { return "*" + randomWord(random, ten, 9) + "!" })
}

// No query takes long, whatever the file and the path: counted in steps.
func TestSteps(t *testing.T) {
	long.NotShort(t)
	for _, hostile := range hostileFiles {
		for _, group := range []int{0, 60} {
			random := rand.New(rand.NewPCG(1, 9309))
			body, begin := hostileFile(robots.MaxSize, group, func(i int) string { return hostile.pattern(random, i) }), "/"
			if bytes.Contains(body, []byte("!")) {
				begin = "/!" // the path has a "!", but where it does not help
			}
			f := robots.Parse(body)
			for _, size := range long.Or([]int{2 << 10, 8 << 10}, []int{2 << 10, 16 << 10, 64 << 10, 200 << 10}) {
				path := begin + randomWord(random, hostile.alphabet, size)
				steps, _ := requireBounded(t, f, path, false)
				byWalk, share := requireBounded(t, f, path, true)
				t.Logf("%8d steps; by a walk %8d, %2.0f%% of the bound; %4.1f times the source: %s, %d, %d KB", steps, byWalk, 100*share, float64(f.Size())/robots.MaxSize, hostile.name, group, size>>10)
			}
		}
	}
}

// Nor do queries that search long for their groups.
func TestStepsOfGroups(t *testing.T) {
	var body strings.Builder
	for i := 0; body.Len() < robots.MaxSize; i++ {
		fmt.Fprintf(&body, "user-agent: a\n%s", strings.Repeat("allow:/\n", i%100))
	}
	requireBounded(t, robots.Parse([]byte(body.String())), "/"+strings.Repeat("a", 2<<10), false)
}

var climb = flag.Duration("climb", 0, "the `time` to look for files and paths that take many steps; zero is a short while")

// Nor do files and paths from a search for the worst: a change that takes more steps is
// kept, and changed further. On the way, a walk and a scan find the same.
func TestStepsOfClimbers(t *testing.T) {
	long.NotShort(t)
	end := time.Now().Add(*climb)
	for seed := uint64(0); seed < 3 || time.Now().Before(end); seed++ {
		c := newClimber(seed)
		for i := 0; i < long.Or(50, 150) || *climb > 0 && i < 20_000 && time.Now().Before(end); i++ {
			c.climb(t)
		}
		t.Logf("climber %d: %d steps, %.0f%% of the bound", seed, c.steps, 100*c.share)
		if *climb > 0 {
			require.NoError(t, os.WriteFile(fmt.Sprintf("%s/%d.txt", t.ArtifactDir(), seed), []byte(c.body()+"\n"+c.path+"\n"), 0o600))
		}
	}
}

// A climber has a file and a path, and changes them.
type climber struct {
	random   *rand.Rand
	alphabet string
	lines    []string
	path     string
	byWalk   bool // the steps of a walk count
	steps    int
	share    float64 // of the bound
}

const (
	climberFile = 20_000
	climberPath = 2_000
)

func newClimber(seed uint64) *climber {
	random := rand.New(rand.NewPCG(seed, 9309))
	c := &climber{random: random, byWalk: seed%3 > 0, alphabet: []string{"a", "ab", "abc", ten + "!", "a?:%3A", "ab/"}[random.IntN(6)]}
	for size := 0; size < climberFile; size += len(c.lines[len(c.lines)-1]) + 1 {
		c.lines = append(c.lines, "allow:*"+c.word(1+random.IntN(20)))
	}
	c.path = c.word(climberPath)
	return c
}

func (c *climber) word(n int) string { return randomWord(c.random, c.alphabet, n) }

func (c *climber) body() string { return "user-agent: *\n" + strings.Join(c.lines, "\n") + "\n" }

// climb makes a change, and takes it back unless more steps, or as many, are taken.
func (c *climber) climb(t *testing.T) {
	before := *c
	c.lines = append([]string(nil), c.lines...)
	for range 1 + c.random.IntN(8) {
		c.change()
	}
	f := robots.Parse([]byte(c.body()))
	steps, share := requireBounded(t, f, "/"+c.path, c.byWalk)
	requireSame(t, f.Rules("a"), "/"+c.path)
	if rules, octets := f.Extent(); len(c.body()) > climberFile || rules+octets == 0 || steps < before.steps {
		*c = before
		return
	}
	c.steps, c.share = steps, share
}

// change changes some lines or a part of the path.
func (c *climber) change() {
	i, at := c.random.IntN(len(c.lines)), c.random.IntN(len(c.path))
	switch line := c.lines[i]; c.random.IntN(8) {
	case 0: // other octets
		if cut := len("allow:*") + c.random.IntN(max(1, len(line)-len("allow:*")+1)); cut <= len(line) {
			c.lines[i] = line[:cut] + c.word(1+c.random.IntN(3)) + line[min(len(line), cut+c.random.IntN(4)):]
		}
	case 1: // another wildcard, or an end
		c.lines[i] = line + []string{"*", "$", "*" + c.word(3), "!"}[c.random.IntN(4)]
	case 2: // more of it
		for range 1 + c.random.IntN(50) {
			c.lines[c.random.IntN(len(c.lines))] = line + c.word(c.random.IntN(3))
		}
	case 3: // one less
		if len(c.lines) > 2 {
			c.lines = append(c.lines[:i:i], c.lines[i+1:]...)
		}
	case 4: // one more, or a new group
		c.lines = append(c.lines, []string{line, "allow:*" + c.word(9), "user-agent: *"}[c.random.IntN(3)])
	case 5: // what a literal has, in the path
		if _, literal, ok := strings.Cut(line, "*"); ok {
			literal = strings.Trim(literal, "*$")
			c.path = (c.path[:at] + literal + c.path[at:])[:climberPath]
		}
	case 6: // the same again in the path
		size := 1 + c.random.IntN(30)
		part := strings.Repeat(c.path[at:min(at+size, len(c.path))], 1+c.random.IntN(20))
		c.path = (c.path[:at] + part + c.path[at:])[:climberPath]
	case 7:
		c.path = (c.path[:at] + c.word(5) + c.path[at:])[:climberPath]
	}
}

package diff_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/diff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, new string
		want     []string // each: path, rule before, rule after
	}{
		{"the same", "disallow: /a", "disallow: /a", nil},
		{"another order", "disallow: /a\nallow: /a/b", "allow: /a/b\ndisallow: /a", nil},
		{"written otherwise", "disallow: /a%62", "disallow: /ab", nil},
		{"a pointless wildcard", "disallow: /a", "disallow: /a*", nil},
		{"a rule that another covers", "disallow: /a", "disallow: /a\ndisallow: /a/b", nil},
		{"a rule for robots.txt", "", "disallow: /robots.txt$", nil},
		{"an empty rule", "", "disallow:", nil},
		{"no pattern of a path", "", "disallow: a", nil},
		{"new", "", "disallow: /a", []string{"/ax - disallow: /a"}},
		{"gone", "disallow: /a", "", []string{"/ax disallow: /a -"}},
		{"turned", "disallow: /a", "allow: /a", []string{"/ax disallow: /a allow: /a"}},
		{"an anchor", "disallow: /a", "disallow: /a$", []string{"/ax disallow: /a -"}},
		{"an encoded dollar is no anchor", "disallow: /a$", "disallow: /a%24", []string{"/a disallow: /a$ -", "/a$x - disallow: /a%24"}},
		{"a literal star", "disallow: /*", "disallow: /%2A", []string{"/x disallow: /* -"}},
		{"an exception", "disallow: /a", "disallow: /a\nallow: /a/b", []string{"/a/bx disallow: /a allow: /a/b"}},
		{"an exception that is too short", "disallow: /a/b", "disallow: /a/b\nallow: /a", nil},
		{"a tie", "disallow: /*.ph", "disallow: /*.ph\nallow: /page", []string{"/pagex.phx disallow: /*.ph allow: /page"}},
		{"an anchored wildcard", "disallow: /*a", "disallow: /*a\nallow: /*b$", []string{"/xaxb disallow: /*a allow: /*b$"}},
		{"a longer wildcard", "disallow: /*a", "disallow: /*a\nallow: /*bb", []string{"/xaxbbx disallow: /*a allow: /*bb"}},
		{"an overlap", "disallow: /*ab$", "disallow: /*ab$\nallow: *bab$", []string{"/xbab disallow: /*ab$ allow: *bab$"}},
		{"in a query", "disallow: /*%2F", "", []string{"/x%2Fx disallow: /*%2F -"}},
		{"in a query alone", "disallow: /*%2F\nallow: /*%2F*x", "disallow: /*%2F\nallow: /*%2F*x\nallow: /x", nil},
		{"in a query of another", "allow: /a?/b$", "allow: /a?/b$\ndisallow: /a*%2Fb$", []string{"/ax%2Fb - disallow: /a*%2Fb$", "/a?/b allow: /a?/b$ disallow: /a*%2Fb$"}},
		{"all fillers in use", "", "disallow: /" + diff.Fillers + "/", []string{"/" + diff.Fillers + "/xx - disallow: /" + diff.Fillers + "/"}},
		{"an escape of a letter in use", "disallow: /x\ndisallow: /*%78y", "disallow: /x", []string{"/zxyz disallow: /*%78y -"}},
		{"many at once", "disallow: /a\ndisallow: /b", "allow: /a/\ndisallow: /",
			[]string{"/a/x disallow: /a allow: /a/", "/x - disallow: /"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			changes, all := diff.Verdicts(rules(test.old), rules(test.new))
			assert.True(t, all)
			var got []string
			for _, c := range changes {
				got = append(got, fmt.Sprint(c.Path, " ", orDash(c.Old), " ", orDash(c.New)))
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// A comparison that leaves something out says so.
func TestLeavesOut(t *testing.T) {
	atEdges := ""
	for _, filler := range diff.Fillers {
		atEdges += fmt.Sprintf("*%c", filler)
	}
	for _, line := range []string{
		"disallow: /" + strings.Repeat("*a%2F", 16), // forms
		"disallow: /" + atEdges,                     // no filler
	} {
		for _, more := range []string{"", line} {
			changes, all := diff.Verdicts(rules(line+"\ndisallow: /a"), rules(more))
			assert.False(t, all, line)
			assert.NotEmpty(t, changes)
			_, all = diff.Verdicts(rules(more), rules(line+"\ndisallow: /a"))
			assert.False(t, all, line)
		}
	}
	_, all := diff.Verdicts(rules("disallow: /"+strings.Repeat("*a%2F", 15)), rules(""))
	assert.True(t, all)
	for n, want := range map[int]bool{3: true, 8: false} { // two patterns fit in many ways
		_, all, spent := diff.Compare(rules("disallow: /"+strings.Repeat("*a", n)), rules("allow: /"+strings.Repeat("*b", n)))
		assert.Equal(t, want, all, n)
		assert.Less(t, spent, 1_000_000)
	}
	wild := ""
	for i := range 1000 {
		wild += fmt.Sprintf("disallow: /%d*a\n", i)
	}
	_, _, spent := diff.Compare(rules(wild), rules(wild+"disallow: /c"))
	assert.Greater(t, spent, 4*2000, "each rule with a * takes time")
}

func orDash(r robots.Rule) string {
	if r == (robots.Rule{}) {
		return "-"
	}
	return r.String()
}

func rules(text string) robots.Rules {
	return robots.Parse([]byte("user-agent: *\n" + text)).Rules("a")
}

// missed returns the changes of some paths that were not found: no path that was found
// stands for the same two rules. It also returns how many of the paths change.
func missed(old, new robots.Rules, changes []diff.Change, paths []string) (changed int, missed []string) {
	type pair struct{ old, new robots.Rule }
	found := make(map[pair]bool)
	for _, c := range changes {
		found[pair{c.Old, c.New}] = true
	}
	for _, path := range paths {
		before, _ := old.Match(path)
		after, _ := new.Match(path)
		if allows(before) == allows(after) {
			continue
		}
		changed++
		if !found[pair{before, after}] {
			missed = append(missed, fmt.Sprintf("%s: %v, %v", path, before, after))
		}
	}
	return changed, missed
}

func allows(r robots.Rule) bool { return r == (robots.Rule{}) || r.Allow }

// assertTrue checks that the changes that were found are true.
func assertTrue(t *testing.T, old, new robots.Rules, changes []diff.Change) {
	for _, c := range changes {
		require.NotEqual(t, old.Allowed(c.Path), new.Allowed(c.Path), c.Path)
		require.Equal(t, new.Allowed(c.Path), c.Allowed(), c.Path)
		before, _ := old.Match(c.Path)
		after, _ := new.Match(c.Path)
		require.Equal(t, []robots.Rule{before, after}, []robots.Rule{c.Old, c.New}, c.Path)
	}
}

// No short path has a change that was not found.
func TestAllShortPaths(t *testing.T) {
	paths := []string{"/"}
	for i := 0; len(paths[i]) < 7; i++ {
		for _, c := range []string{"a", "b", "/", "x", "?"} {
			paths = append(paths, paths[i]+c)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 800 {
		old := rules(anyRules(r))
		new := rules(anyRules(r))
		changes, all := diff.Verdicts(old, new)
		require.True(t, all)
		assertTrue(t, old, new, changes)
		_, missed := missed(old, new, changes, sample(r, paths, 1000))
		require.Empty(t, missed, "%v\n%v", slices.Collect(old.All()), slices.Collect(new.All()))
	}
}

func sample(r *rand.Rand, from []string, n int) (some []string) {
	for range n {
		some = append(some, from[r.IntN(len(from))])
	}
	return some
}

func anyRules(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(5) {
		b.WriteString(pick(r, "allow: ", "disallow: ") + pick(r, "/", "/", "*"))
		for range r.IntN(5) {
			b.WriteString(pick(r, "a", "b", "/", "*", "*", "?", "%2F"))
		}
		b.WriteString(pick(r, "", "", "$") + "\n")
	}
	return b.String()
}

// In pairs of a file and its mutation, no change of a URL is missed. If nothing changes,
// nothing is found.
func TestMutations(t *testing.T) {
	long.NotShort(t)
	const pairs, urls = 500, 1000
	bodies := slices.DeleteFunc(corpus.Bodies(t), func(body []byte) bool { return len(body) > 64<<10 }) // for the sake of time
	r := rand.New(rand.NewPCG(3, 4))
	told, changed, compared := 0, 0, 0
	for n := range pairs {
		body := bodies[r.IntN(len(bodies))]
		m := mutations[n%len(mutations)]
		lines := strings.Split(strings.ReplaceAll(string(body), "\r", "\n"), "\n")
		before, after := strings.Join(lines, "\n"), strings.Join(m.apply(r, slices.Clone(lines)), "\n")
		old, new := robots.Parse([]byte(before)), robots.Parse([]byte(after))
		paths := anyPaths(r, lines, strings.Split(after, "\n"), urls)
		crawlers := append([]string{"Googlebot", "GPTBot", "bingbot", "AhrefsBot", "nobody"}, anyNamed(r, old, new))
		for _, crawler := range crawlers {
			changes, all := diff.Verdicts(old.Rules(crawler), new.Rules(crawler))
			require.True(t, all, "%s", before)
			assertTrue(t, old.Rules(crawler), new.Rules(crawler), changes)
			n, missed := missed(old.Rules(crawler), new.Rules(crawler), changes, paths)
			require.Empty(t, missed, "%s of %s", m.name, crawler)
			require.True(t, !m.silent || len(changes) == 0, "%s: %v", m.name, changes)
			compared++
			told, changed = told+len(changes), changed+n
		}
	}
	t.Logf("%d comparisons, %d verdicts of URLs changed, %d changes told", compared, changed, told)
	assert.Greater(t, changed, 1000)
}

func anyNamed(r *rand.Rand, old, new *robots.File) string {
	named := slices.AppendSeq(slices.Collect(old.Named()), new.Named())
	if len(named) == 0 {
		return "*"
	}
	return named[r.IntN(len(named))]
}

var wildcards = regexp.MustCompile(`\*+`)

// anyPaths returns paths that match the patterns of both files, or nearly do.
func anyPaths(r *rand.Rand, before, after []string, n int) (paths []string) {
	var patterns []string
	for _, line := range append(slices.Clone(before), after...) {
		if isRule(line) {
			patterns = append(patterns, value(line))
		}
	}
	patterns = append(patterns, "/", "/index.html", "/?q=1", "/a/b")
	for range n {
		path := strings.TrimSuffix(anyMatch(r, patterns), "$")
		if r.IntN(3) == 0 { // a path of two patterns
			path += anyMatch(r, patterns)
		}
		if r.IntN(4) == 0 && len(path) > 1 {
			path = path[:1+r.IntN(len(path)-1)]
		}
		path += pick(r, "", "", "x", "/", "/b", "?q=1", ".php", "&page=2")
		paths = append(paths, path)
	}
	return paths
}

func anyMatch(r *rand.Rand, patterns []string) string {
	return wildcards.ReplaceAllStringFunc(patterns[r.IntN(len(patterns))], func(string) string {
		return pick(r, "", "x", "a/b", "?x=", patterns[r.IntN(len(patterns))])
	})
}

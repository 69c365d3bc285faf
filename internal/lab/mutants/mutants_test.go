package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tiny writes a module that has mutants of each kind and of each fate.
func tiny(t *testing.T) (root string) {
	root = t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS("testdata/tiny")))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/tiny\n\ngo 1.26\n"), 0o600))
	return root
}

// of is the group of it.
func of(path string) group { return group{name: "tiny", weight: 1, paths: []string{path}} }

// A mutant is noticed, survives, or is reached by no test. A test that fails by itself proves nothing.
func TestFates(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("tests run below sh, which bounds their memory")
	}
	s := sample{seed: 5, n: 100, only: regexp.MustCompile(""), folder: t.TempDir(), budget: time.Second}
	results, fail, err := s.try(t.Context(), tiny(t), plan{groups: []group{of(".")}, tests: [][]string{{".", "."}}})
	require.NoError(t, err)
	assert.Equal(t, []string{"TestAlone in ."}, fail)
	var out strings.Builder
	assert.Equal(t, 8, report(&out, results))
	assert.Equal(t, `
What survives:
SURVIVES  bound  tiny.go:12: one < 0 → one <= 0
          1 of 1 tests were run; MUTANT=0
UNREACHED equal  tiny.go:22: s == "" → !(s == "")
UNREACHED const  tiny.go:23: 1 → 1+1 in 1 - len(s)
UNREACHED const  tiny.go:25: 0 → 0+1 in return 0
UNREACHED empty  tiny.go:30: forget → forget does nothing
UNREACHED drop   tiny.go:31: for i := range all { all[i] = 0 } → nothing
UNREACHED drop   tiny.go:32: all[i] = 0 → nothing
UNREACHED drop   tiny.go:34: last = all → nothing
tiny          14 mutants: 6 noticed, 1 survive, 7 are reached by no test
`, out.String())
}

// All kinds are there, and compile beside each other.
func TestPlaces(t *testing.T) {
	c := &codebase{root: tiny(t), sources: make(map[string]*source)}
	require.NoError(t, c.list(t.Context(), []string{"."}))
	places, err := c.places(of("tiny.go"))
	require.NoError(t, err)
	var all []string
	for _, m := range places {
		all = append(all, m.String())
		assert.True(t, c.accept(m), m)
	}
	slices.Sort(all)
	assert.Equal(t, []string{
		`bound  tiny.go:12: one < 0 → one <= 0`,
		`bound  tiny.go:8: min(n, 100) > most → min(n, 100) >= most`,
		`case   tiny.go:22: s == "" → never`,
		`const  tiny.go:12: 0 → 0+1 in one < 0`,
		`const  tiny.go:13: 0 → 0+1 in return 0, errors.New("out of bounds")`,
		`const  tiny.go:23: 1 → 1+1 in 1 - len(s)`,
		`const  tiny.go:25: 0 → 0+1 in return 0`,
		`const  tiny.go:32: 0 → 0+1 in all[i] = 0`,
		`const  tiny.go:6: most → most*2`,
		`const  tiny.go:8: 100 → 100*2 in min(n, 100)`,
		`drop   tiny.go:11: for _, one := range all { if isMany(one) || one < 0 { return 0, errors.New("out of bounds") } n += one } → nothing`,
		`drop   tiny.go:15: n += one → nothing`,
		`drop   tiny.go:31: for i := range all { all[i] = 0 } → nothing`,
		`drop   tiny.go:32: all[i] = 0 → nothing`,
		`drop   tiny.go:34: last = all → nothing`,
		`empty  tiny.go:30: forget → forget does nothing`,
		`equal  tiny.go:22: s == "" → !(s == "")`,
		`error  tiny.go:13: return 0, errors.New("out of bounds") → return …, nil`,
		`error  tiny.go:17: return n, nil → return …, an error`,
		`if     tiny.go:12: isMany(one) || one < 0 → always`,
		`if     tiny.go:12: isMany(one) || one < 0 → never`,
		`least  tiny.go:8: min(n, 100) → without 100`,
		`least  tiny.go:8: min(n, 100) → without n`,
		`logic  tiny.go:12: isMany(one) || one < 0 → isMany(one) && one < 0`,
		`math   tiny.go:23: 1 - len(s) → 1 + len(s)`,
		`negate tiny.go:12: isMany(one) || one < 0 → !(isMany(one) || one < 0)`,
		`negate tiny.go:8: return min(n, 100) > most → !(min(n, 100) > most)`,
		`part   tiny.go:12: isMany(one) || one < 0 → without isMany(one)`,
		`part   tiny.go:12: isMany(one) || one < 0 → without one < 0`,
		`zero   tiny.go:13: return 0, errors.New("out of bounds") → return zero`,
		`zero   tiny.go:17: return n, nil → return zero`,
		`zero   tiny.go:23: return 1 - len(s) → return zero`,
	}, all)
}

// No mutant changes how much room there is, or returns zero in the place of constants that are zero.
func TestUnseen(t *testing.T) {
	c := &codebase{root: tiny(t), sources: make(map[string]*source)}
	require.NoError(t, c.list(t.Context(), []string{"room"}))
	places, err := c.places(of("room"))
	require.NoError(t, err)
	for _, m := range places {
		if m.kind == "math" || m.kind == "zero" {
			assert.Equal(t, 18, m.line, m)
		}
		assert.NotContains(t, []string{"2 → 2+1 in slices.Grow(all, 2)", "9 → 9*2 in len(all)+9"}, m.was+" → "+m.now)
	}
	assert.Len(t, places, 7)
}

// The same seed makes the same mutants.
func TestSeed(t *testing.T) {
	root := tiny(t)
	chosen := func(seed uint64) (all []string) {
		s := sample{seed: seed, n: 5, only: regexp.MustCompile("^tiny$")}
		mutants, err := s.choose(t.Context(), &codebase{root: root, sources: make(map[string]*source)}, []group{of("tiny.go"), {name: "other", weight: 1}})
		require.NoError(t, err)
		for _, m := range mutants {
			all = append(all, m.String())
		}
		return all
	}
	assert.Len(t, chosen(1), 5)
	assert.Equal(t, chosen(1), chosen(1))
	assert.NotEqual(t, chosen(1), chosen(2))
}

// unsampled are folders that users do not meet.
var unsampled = regexp.MustCompile(`^(examples|internal/(conduct|lab|origintest)|store/(storetest|redisfleet/(cmd|internal))|otelpolite/prometheus|cmd/polite(/internal/tester/wasm)?)$|/testdata$`)

// Each package that users meet is in a group.
func TestGroups(t *testing.T) {
	const root = "../../.."
	p, err := readPlan("groups.txt")
	require.NoError(t, err)
	named := make(map[string]bool)
	for _, g := range p.groups {
		for _, folder := range g.paths {
			assert.False(t, named[folder], "%s is in two groups", folder)
			assert.DirExists(t, filepath.Join(root, folder))
			named[folder] = true
		}
	}
	err = fs.WalkDir(os.DirFS(root), ".", func(file string, entry fs.DirEntry, err error) error {
		if folder := path.Dir(file); path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") && !unsampled.MatchString(folder) {
			assert.True(t, named[folder], "%s is in no group", folder)
		}
		if err == nil && entry.IsDir() && file != "cmd/polite" && unsampled.MatchString(file) {
			return fs.SkipDir
		}
		return err
	})
	require.NoError(t, err)
}

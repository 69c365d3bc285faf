package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

// Each row spoils the cache. Get tells why in one line, and does its work.
func TestSpoiltCache(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(t *testing.T, file string)
		tells string // FILE and FOLDER stand for names
		cache int    // exit status of polite cache
		clear int    // of polite cache clear, after which all is well
	}{
		{"another run uses it", func(t *testing.T, file string) {
			store, err := boltstore.Open(file, boltstore.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { store.Close() })
		}, "another run of polite is using FILE", 1, 1},
		{"text", func(t *testing.T, file string) { write(t, file, strings.Repeat("no database\n", 1000)) },
			`FILE is damaged: "polite cache clear" begins a new one`, 1, 0},
		{"a short text", func(t *testing.T, file string) { write(t, file, "no database\n") },
			`FILE is damaged: "polite cache clear" begins a new one`, 1, 0},
		{"cut short", func(t *testing.T, file string) {
			require.NoError(t, os.Truncate(file, 5000))
		}, `FILE is damaged: "polite cache clear" begins a new one`, 1, 0},
		{"the database of another program", func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			alter(t, file, func(tx *bbolt.Tx) error {
				_, err := tx.CreateBucket([]byte("other"))
				return err
			})
		}, `FILE is damaged: "polite cache clear" begins a new one`, 1, 0},
		{"of a later version", func(t *testing.T, file string) {
			alter(t, file, func(tx *bbolt.Tx) error {
				return tx.Bucket([]byte("about")).Put([]byte("format"), []byte{99})
			})
		}, "use that version, or set POLITE_CACHE to another folder", 1, 0},
		{"a folder in its place", func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.MkdirAll(filepath.Join(file, "x"), 0o700))
		}, "FILE: it is a folder: set POLITE_CACHE to another folder", 1, 1},
		{"a file in the place of its folder", func(t *testing.T, file string) {
			require.NoError(t, os.RemoveAll(filepath.Dir(file)))
			write(t, filepath.Dir(file), "")
		}, "FOLDER is a file: set POLITE_CACHE to a folder", 1, 1},
		{"a file in the place of its folder's folder", func(t *testing.T, file string) {
			other := filepath.Join(t.TempDir(), "file")
			write(t, other, "")
			t.Setenv(cachefile.Variable, filepath.Join(other, "a", "b"))
		}, "file is a file: set POLITE_CACHE to a folder", 1, 1},
		{"no permission", func(t *testing.T, file string) {
			if os.Geteuid() == 0 {
				t.Skip("root may do everything")
			}
			require.NoError(t, os.Chmod(file, 0))
		}, "cannot write to FILE: give your user the right, or set POLITE_CACHE to another folder\n", 1, 0},
		{"no permission for the folder", func(t *testing.T, file string) {
			if os.Geteuid() == 0 || runtime.GOOS == "windows" {
				t.Skip("root may do everything, and so may those who own a folder of Windows")
			}
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.Chmod(filepath.Dir(file), 0o500))
			t.Cleanup(func() { os.Chmod(filepath.Dir(file), 0o700) })
		}, "cannot write to FOLDER: give your user the right, or set POLITE_CACHE to another folder\n", 1, 1},

		{"no cache folder", func(t *testing.T, file string) {
			for _, name := range []string{cachefile.Variable, "XDG_CACHE_HOME", "HOME", "LocalAppData"} {
				t.Setenv(name, "")
			}
		}, "set POLITE_CACHE to a folder", 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := shopSite(t)
			file := newCache(t)
			require.Equal(t, 0, runHurried(t, "get", s.URL+"/a").status)
			test.spoil(t, file)
			fill := strings.NewReplacer("FILE", file, "FOLDER", filepath.Dir(file))

			got := runHurried(t, "get", s.URL+"/a", s.URL+"/private/x")
			assert.Equal(t, 3, got.status)
			assert.Equal(t, "page a\n", got.stdout)
			lines := strings.SplitAfter(got.stderr, "\n")
			require.Len(t, lines, 5, got.stderr)
			assert.True(t, strings.HasPrefix(lines[0], "polite get: goes on without the cache: "), lines[0])
			assert.Contains(t, lines[0], fill.Replace(test.tells))
			assert.Equal(t, []string{"/robots.txt", "/a", "/robots.txt", "/a"}, s.arrivals())

			got = runCommand(t, "cache")
			assert.Equal(t, test.cache, got.status, got.stdout)
			assert.Contains(t, got.stderr, fill.Replace(test.tells))
			got = runCommand(t, "cache", "clear")
			assert.Equal(t, test.clear, got.status, got.stderr)
			if test.clear == 0 {
				assert.Empty(t, runCommand(t, "lint", "-q", s.URL).stderr)
			}
		})
	}
}

func write(t *testing.T, file, text string) {
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// alter changes a database.
func alter(t *testing.T, file string, do func(*bbolt.Tx) error) {
	db, err := bbolt.Open(file, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(do))
	require.NoError(t, db.Close())
}

// All verbs that ask sites go on without the cache. In JSON, get tells in JSON.
func TestVerbsGoOn(t *testing.T) {
	s := shopSite(t)
	write(t, newCache(t), "no database\n")
	for _, test := range []struct {
		args   []string
		status int
	}{
		{[]string{"check", s.URL + "/a"}, 0},
		{[]string{"lint", s.URL}, 0},
		{[]string{"records", "--sitemaps", s.URL}, 0},
		{[]string{"records", s.URL}, 0},
	} {
		got := runCommand(t, test.args...)
		assert.Equal(t, test.status, got.status, test.args)
		assert.Regexp(t, `^polite `+test.args[0]+`: goes on without the cache: .* is damaged: `, got.stderr)
		assert.NotContains(t, runCommand(t, append(test.args, "--no-cache")...).stderr, "cache", test.args)
	}
	var warning struct{ Warning string }
	line, _, _ := strings.Cut(runCommand(t, "get", "--json", s.URL+"/a").stderr, "\n")
	require.NoError(t, json.Unmarshal([]byte(line), &warning))
	assert.Contains(t, warning.Warning, "goes on without the cache: ")
}

// What asks no site does not touch the cache.
func TestCacheIsNotTouched(t *testing.T) {
	file := newCache(t)
	t.Setenv(cachefile.Variable, filepath.Join(filepath.Dir(file), "new"))
	s := shopSite(t)
	t.Setenv(cachefile.Variable, filepath.Join(filepath.Dir(file), "new"))
	for _, line := range []string{
		"--version", "help", "help cache", "cache", "cache list", "cache clear", "cache --json", "cache nothing",
		"check -f testdata/shop.txt /a", "lint testdata/shop.txt", "records --sitemaps testdata/shop.txt", "records -",
		"get --no-cache " + s.URL + "/a", "check --no-cache " + s.URL + "/a", "get example.com", "get --none " + s.URL,
	} {
		runCommand(t, strings.Fields(line)...)
		assert.NoDirExists(t, os.Getenv(cachefile.Variable), line)
	}
}

func TestCache(t *testing.T) {
	s, down := shopSite(t), downSite(t)
	file := newCache(t)
	got := runCommand(t, "cache")
	assert.Equal(t, result{0, "file     " + file + "\nsize     0 bytes\nanswers  none\n", ""}, got)
	assert.Equal(t, result{0, "", "polite cache: nothing is kept\n"}, runCommand(t, "cache", "list"))
	assert.Equal(t, result{0, "", "polite cache: nothing is kept\n"}, runCommand(t, "cache", "list", "--json"))
	assert.NotContains(t, runCommand(t, "cache", "--json").stdout, "oldest")
	assert.Equal(t, result{0, "there is no cache\n", ""}, runCommand(t, "cache", "clear"))

	runCommand(t, "check", s.URL+"/a", down.URL+"/a")
	keepAnswer(t, "otherbot https://a.example", entry.Answer{Since: 3 * time.Hour, Status: 404, MaxAge: -1})
	broken := entry.Entry{
		Answer:  &entry.Answer{Since: 50 * time.Hour, Status: 200, Body: []byte("user-agent: *\n"), Hops: []string{"https://b.example/r.txt"}},
		Failure: &entry.Failure{Tries: 1, Err: "no such host"},
	}
	keep(t, "otherbot https://b.example", broken.Encode("otherbot https://b.example"))
	keep(t, "otherbot https://c.example", []byte("junk"))
	keepAnswer(t, "zbot https://z.example", entry.Answer{Since: 2 * time.Minute, Status: 404, MaxAge: -1})

	assert.Equal(t, result{0, "" +
		" age  status   bytes  crawler   site\n" +
		"  3h  404          0  otherbot  https://a.example\n" +
		"  2d  200         14  otherbot  https://b.example  could not be fetched: no such host\n" +
		" now  none         0  otherbot  https://c.example  the entry is damaged, or not of this version\n" +
		sorted(fmt.Sprintf(" now  200     %6d  polite    %s\n", len(rules), s.URL),
			" now  none         0  polite    "+down.URL+"  answered 500 Internal Server Error\n", s.URL < down.URL) +
		"  2m  404          0  zbot      https://z.example\n", "",
	}, runCommand(t, "cache", "list"))

	info, err := os.Stat(file)
	require.NoError(t, err)
	size := info.Size()
	assert.Regexp(t, `^file     `+file+`\nsize     \d+ bytes\nanswers  6: 2 with robots.txt, 2 without, 1 could not be fetched, 1 damaged\noldest   2d\nnewest   now\n$`, runCommand(t, "cache").stdout)
	assert.Equal(t, result{0, "cleared " + file + "\n", ""}, runCommand(t, "cache", "clear"))
	assert.Equal(t, result{0, "", "polite cache: nothing is kept\n"}, runCommand(t, "cache", "list"))
	assert.Contains(t, runCommand(t, "cache").stdout, "answers  none\n")
	info, err = os.Stat(file)
	require.NoError(t, err)
	assert.LessOrEqual(t, info.Size(), size)
}

// The columns hold for long names, but not for the longest.
func TestCacheListColumns(t *testing.T) {
	newCache(t)
	long := strings.Repeat("z", 50)
	for _, crawler := range []string{"examplebot-news", "x", long} {
		keepAnswer(t, crawler+" https://a.example", entry.Answer{Status: 404})
	}
	assert.Equal(t, ""+
		" age  status   bytes  crawler"+strings.Repeat(" ", 33)+"  site\n"+
		" now  404          0  examplebot-news"+strings.Repeat(" ", 25)+"  https://a.example\n"+
		" now  404          0  x"+strings.Repeat(" ", 39)+"  https://a.example\n"+
		" now  404          0  "+long+"  https://a.example\n", runCommand(t, "cache", "list").stdout)
}

func sorted(a, b string, inOrder bool) string {
	if inOrder {
		return a + b
	}
	return b + a
}

func TestCacheJSON(t *testing.T) {
	file := newCache(t)
	keepAnswer(t, "polite https://a.example", entry.Answer{Since: time.Hour, Status: 200, MaxAge: -1, Body: []byte("x"), Hops: []string{"https://b.example/"}})
	failed := entry.Entry{Failure: &entry.Failure{Tries: 1, Status: 503}}
	keep(t, "polite https://c.example", failed.Encode("polite https://c.example"))

	got := runCommand(t, "cache", "--json")
	assert.Equal(t, 0, got.status)
	var sum struct {
		File                                            string
		Bytes, Answers, Files, Without, Failed, Damaged int
		Oldest, Newest                                  time.Time
	}
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &sum))
	assert.Equal(t, []any{file, 2, 1, 0, 1, 0}, []any{sum.File, sum.Answers, sum.Files, sum.Without, sum.Failed, sum.Damaged})
	assert.Positive(t, sum.Bytes)
	assert.WithinDuration(t, time.Now().Add(-time.Hour), sum.Oldest, 10*time.Second)
	assert.Equal(t, sum.Oldest, sum.Newest)

	list := runCommand(t, "cache", "list", "--json")
	var first struct {
		Fetched time.Time `json:"robots_fetched"`
	}
	require.NoError(t, json.NewDecoder(strings.NewReader(list.stdout)).Decode(&first))
	assert.WithinDuration(t, sum.Oldest, first.Fetched, 10*time.Second) // two runs may see two seconds
	fetched, err := json.Marshal(first.Fetched)
	require.NoError(t, err)
	assert.Equal(t, `{"origin":"https://a.example","agent":"polite","robots_status":200,"robots_hops":["https://b.example/"],"robots_bytes":1,"robots_fetched":`+string(fetched)+"}\n"+
		`{"origin":"https://c.example","agent":"polite","robots_bytes":0,"robots_error":"answered 503 Service Unavailable"}`+"\n", list.stdout)
}

func TestCacheMisuse(t *testing.T) {
	newCache(t)
	assertMisuse(t, "cache", `unexpected argument "lst": did you mean "list"?`, "lst")
	assertMisuse(t, "cache", `unexpected argument "everything"`, "everything")
	assertMisuse(t, "cache list", `unexpected argument "extra"`, "extra")
	assertMisuse(t, "cache list", `unexpected argument "clear"`, "clear")
	assertMisuse(t, "cache clear", "unknown flag: --json", "--json")
	assertMisuse(t, "cache clear", "unknown flag: --all", "--all")
}

func TestCacheStdoutFails(t *testing.T) {
	newCache(t)
	keepAnswer(t, "polite https://a.example", entry.Answer{Status: 200})
	for _, args := range [][]string{{"cache"}, {"cache", "list"}, {"cache", "list", "--json"}, {"cache", "clear"}} {
		var stderr bytes.Buffer
		assert.Equal(t, 1, runTo(t.Context(), args, streams(nil, failingWriter{}, &stderr)), args)
		command, _, _ := strings.Cut("polite "+strings.Join(args, " "), " --")
		assert.Equal(t, command+": no space left on device\n", stderr.String())
	}
}

func TestCacheInterrupted(t *testing.T) {
	newCache(t)
	keepAnswer(t, "polite https://a.example", entry.Answer{Status: 200})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	var stderr bytes.Buffer
	assert.Equal(t, 1, runTo(ctx, []string{"cache", "list"}, streams(nil, io.Discard, &stderr)))
	assert.Equal(t, "polite cache list: enough\n", stderr.String())
}

// Nothing that the file holds acts where it is shown.
func TestHostileCache(t *testing.T) {
	for name, text := range origintest.Hostile() {
		t.Run(name, func(t *testing.T) {
			newCache(t)
			for _, key := range []string{text + " https://a.example", "polite https://" + text, text, "- -", ":: ::stop-commands::x", "polite https://a.example"} {
				r := entry.Entry{
					Answer:  &entry.Answer{Status: -1, Hops: []string{text}, Body: []byte(text)},
					Failure: &entry.Failure{Tries: 1, Status: 1e9, Err: text},
				}
				keep(t, key, r.Encode(key))
			}
			for _, args := range [][]string{{"cache"}, {"cache", "list"}, {"cache", "--json"}, {"cache", "list", "--json"}, {"cache", text}} {
				got := runCommand(t, args...)
				assert.NotEmpty(t, got.stdout+got.stderr)
				assertHarmless(t, got.stdout, args)
				assertHarmless(t, got.stderr, args)
			}
			for line := range strings.Lines(runCommand(t, "cache", "list", "--json").stdout) {
				assert.True(t, json.Valid([]byte(line)), line)
			}
		})
	}
}

package get

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write writes a page.
func write(t *testing.T, o *output, page string) {
	require.NoError(t, o.Begin())
	_, err := io.WriteString(o, page)
	require.NoError(t, err)
	require.NoError(t, o.End(false))
}

func TestStream(t *testing.T) {
	var w strings.Builder
	o := outputTo(&w, "")
	write(t, o, "a")
	write(t, o, "b")
	assert.NoError(t, o.Close())
	assert.Equal(t, "ab", w.String())
}

// The file is created for the first page.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page")
	o := outputTo(io.Discard, name)
	assert.NoFileExists(t, name)
	write(t, o, "a")
	write(t, o, "b")
	require.NoError(t, o.Close())
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "ab", string(got))

	unused := filepath.Join(t.TempDir(), "page")
	assert.NoError(t, outputTo(io.Discard, unused).Close())
	assert.NoFileExists(t, unused)
}

// After an error, nothing more can be written.
func TestErr(t *testing.T) {
	o := outputTo(io.Discard, t.TempDir())
	assert.NoError(t, o.Err())
	err := o.Begin()
	require.Error(t, err)
	assert.Equal(t, err, o.Err())

	reader, closed := io.Pipe()
	reader.Close()
	o = outputTo(closed, "")
	_, err = o.Write([]byte("a"))
	require.Error(t, err)
	assert.Equal(t, err, o.Err())
	assert.Equal(t, err, o.End(false))
}

func TestNameFor(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example/x/page.html?q=1#f":           "page.html",
		"https://a.example":                             "index.html",
		"https://a.example/x/":                          "index.html",
		"https://a.example/..":                          "_..",
		"https://a.example/x/..%2f..%2fetc":             "_..%2f..%2fetc",
		"https://a.example/.profile":                    "_.profile",
		"https://a.example/-rf":                         "_-rf",
		"https://a.example/~":                           "_~",
		"https://a.example/a;b&c'd":                     "a_b_c_d",
		"https://a.example/é\u202e":                     "%C3%A9%E2%80%AE",
		"https://a.example/con:x":                       "con_x",
		"https://a.example/x.polite.part":               "x.polite.part_",
		"https://a.example/" + strings.Repeat("x", 500): strings.Repeat("x", longestName),
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		assert.Equal(t, want, nameFor(u), address)
	}
}

// begin begins the page of a URL, which is not there, or not to be skipped.
func begin(t *testing.T, o *output, path string) {
	u := &url.URL{Path: path}
	_, has := o.Has(u)
	require.False(t, has)
	require.NoError(t, o.Begin())
}

// A file that is there stays as it is, and so does one that a link leads to.
func TestApart(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("target", []byte("mine"), 0o600))
	require.NoError(t, os.Symlink("target", "page"))
	require.NoError(t, os.Symlink("nowhere", "page.1"))
	o := outputApart(false)
	for _, name := range []string{"page.2", "page.3"} {
		begin(t, o, "/page")
		_, err := o.Write([]byte("new"))
		require.NoError(t, err)
		require.NoError(t, o.End(false))
		assert.Equal(t, name, o.Name())
		assert.Empty(t, o.Name(), "it is told once")
	}
	text, err := os.ReadFile("target")
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
	assert.NoFileExists(t, "nowhere")
}

// A page appears under its name when it is whole. What was cut short makes room for the next
// try, and so does a link of that name.
func TestPart(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("mine", []byte("mine"), 0o600))
	require.NoError(t, os.Symlink("mine", "page.polite.part"))
	o := outputApart(false)
	write := func() {
		begin(t, o, "/page")
		_, err := o.Write([]byte("page"))
		require.NoError(t, err)
	}
	write()
	assert.NoFileExists(t, "page")
	require.NoError(t, o.End(true))
	assert.Equal(t, "page.polite.part", o.Name())
	o = outputApart(true)
	write()
	require.NoError(t, o.End(false))
	assert.Equal(t, "page", o.Name())
	assert.NoFileExists(t, "page.polite.part")
	text, err := os.ReadFile("mine")
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
}

// A page whose name is like that of another one that is not whole stays, and so does a file of the
// user's own.
func TestPartIsNoPage(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("page.1.part", []byte("mine"), 0o600))
	o := outputApart(false)
	want := map[string]string{"page.1.part": "mine"}
	for i, path := range []string{"/page.part", "/page.polite.part", "/page", "/page", "/page.1"} {
		begin(t, o, path)
		text := path + strings.Repeat("x", i)
		_, err := io.WriteString(o, text)
		require.NoError(t, err)
		require.NoError(t, o.End(false))
		want[o.Name()] = text
	}
	assert.Len(t, want, 6)
	for name, text := range want {
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, text, string(got), name)
	}
}

// What another run writes to does not become our page.
func TestPartOfAnother(t *testing.T) {
	t.Chdir(t.TempDir())
	o, other := outputApart(false), outputApart(false)
	begin(t, o, "/page")
	begin(t, other, "/page")
	assert.ErrorContains(t, o.End(false), "does another run write to this folder?")
	assert.NoFileExists(t, "page")
	assert.NoError(t, other.End(false))
	assert.FileExists(t, "page")
}

// A file that appears while the page comes stays as it is.
func TestNameTakenMeanwhile(t *testing.T) {
	t.Chdir(t.TempDir())
	o := outputApart(false)
	begin(t, o, "/page")
	require.NoError(t, os.WriteFile("page", []byte("mine"), 0o600))
	require.NoError(t, o.End(false))
	assert.Equal(t, "page.1", o.Name())
	text, err := os.ReadFile("page")
	require.NoError(t, err)
	assert.Equal(t, "mine", string(text))
	assert.NoFileExists(t, "page.polite.part")
}

// A page that failed keeps its name: with skip, it is the one that the next run fetches.
func TestSkipFetchesWhatFailed(t *testing.T) {
	t.Chdir(t.TempDir())
	first := outputApart(false)
	first.Has(&url.URL{Path: "/failed/page"})
	begin(t, first, "/b/page")
	require.NoError(t, first.End(false))
	assert.Equal(t, "page.1", first.Name())

	second := outputApart(true)
	begin(t, second, "/failed/page")
	require.NoError(t, second.End(false))
	assert.Equal(t, "page", second.Name())
	name, has := second.Has(&url.URL{Path: "/b/page"})
	assert.True(t, has)
	assert.Equal(t, "page.1", name)
}

// With skip, the URLs of a list find the files that they had before.
func TestSkip(t *testing.T) {
	t.Chdir(t.TempDir())
	u := &url.URL{Path: "/page"}
	for run, want := range []string{"", "page page.1"} {
		o := outputApart(true)
		var there []string
		for range 2 {
			if name, has := o.Has(u); has {
				there = append(there, name)
				continue
			}
			require.NoError(t, o.Begin())
			require.NoError(t, o.End(false))
		}
		assert.Equal(t, want, strings.Join(there, " "), "run %d", run)
	}
	_, has := outputApart(false).Has(u)
	assert.False(t, has, "nothing is skipped unless asked")
}

// A URL whose own name ends in a number keeps it, and no other takes its file for its own.
func TestSkipGivesEachURLItsOwnName(t *testing.T) {
	t.Chdir(t.TempDir())
	urls := []string{"/a/page", "/page.1", "/b/page", "/c/page", "/page.1"}
	for run := range 2 {
		o := outputApart(true)
		var names []string
		for _, path := range urls {
			u := &url.URL{Path: path}
			name, has := o.Has(u)
			assert.Equal(t, run == 1, has, "%s in run %d", path, run)
			names = append(names, name)
			if !has {
				require.NoError(t, o.Begin())
				require.NoError(t, o.End(false))
			}
		}
		assert.Equal(t, []string{"page", "page.1", "page.2", "page.3", "page.1.1"}, names)
	}
}

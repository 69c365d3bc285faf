package pagecache_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// file returns the file of the only page.
func (w *world) file(t testing.TB) string {
	names, err := filepath.Glob(filepath.Join(w.Folder.Name, "*"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	return names[0]
}

// A file that was cut anywhere, or written by something else, is no page. The next answer
// takes its place.
func TestDamaged(t *testing.T) {
	w := worldOf(t, origintest.New(t), t.TempDir())
	w.Page(host, "/a", answer("page", hour))
	w.get(t, "/a")
	name := w.file(t)
	whole, err := os.ReadFile(name)
	require.NoError(t, err)
	for n := range whole {
		require.NoError(t, os.WriteFile(name, whole[:n], 0o600))
		w.Take()
		w.get(t, "/a")
		require.Len(t, w.Take().Pages(), 1, "cut after %d of %d octets", n, len(whole))
	}
	for i := range whole {
		flipped := slices.Clone(whole)
		flipped[i] ^= 1 << (i % 8)
		require.NoError(t, os.WriteFile(name, flipped, 0o600))
		w.Take()
		_, body := w.get(t, "/a")
		assert.Equal(t, "page", body)
		require.Len(t, w.Take().Pages(), 1, "octet %d", i)
	}
	mark := len("polite-page-2\n")
	for what, text := range map[string]string{
		"zeros":           strings.Repeat("\x00", len(whole)),
		"a long head":     string(whole[:len(whole)-mark-4]) + "\xff\xff\xff\xff" + string(whole[len(whole)-mark:]),
		"no JSON":         "page{" + string([]byte{0, 0, 0, 1}) + "polite-page-2\n",
		"of another page": strings.Replace(string(whole), "/a", "/b", 1),
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		w.Take()
		_, body := w.get(t, "/a")
		assert.Equal(t, "page", body)
		assert.Len(t, w.Take().Pages(), 1, what)
	}
	w.get(t, "/a")
	assert.Empty(t, w.Take().Pages())
}

// A status that no page has is none, also if nothing is damaged.
func TestNoStatus(t *testing.T) {
	w := worldOf(t, origintest.New(t), t.TempDir())
	w.Page(host, "/a", answer("page", hour))
	w.get(t, "/a")
	whole, err := os.ReadFile(w.file(t))
	require.NoError(t, err)
	const tail = sha256.Size + 4 + len("polite-page-2\n")
	for _, status := range []string{"0", "-5", "99999", "100", "500"} {
		text := strings.Replace(string(whole[4:len(whole)-tail]), `"Status":200`, `"Status":`+status, 1)
		sum := sha256.Sum256([]byte("page" + text))
		form := append(append([]byte("page"+text), sum[:]...), 0, 0, byte(len(text)>>8), byte(len(text)))
		require.NoError(t, os.WriteFile(w.file(t), append(form, "polite-page-2\n"...), 0o600))
		w.Take()
		resp, _ := w.get(t, "/a")
		assert.Equal(t, 200, resp.StatusCode)
		assert.Len(t, w.Take().Pages(), 1, status)
	}
}

// A page that cannot be kept comes all the same, whether somebody is told or not.
func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	w := worldOf(t, origintest.New(t), filepath.Join(file, "pages"))
	w.Page(host, "/a", answer("page", hour))
	told := 0
	for want, failed := range []func(error){nil, func(error) { told++ }} {
		w.Folder.Failed = failed
		_, body := w.get(t, "/a")
		assert.Equal(t, "page", body)
		assert.Equal(t, want > 0, told > 0)
	}
}

// A page is for its user alone, and its name is of no site's choice.
func TestPrivate(t *testing.T) {
	w := worldOf(t, origintest.New(t), t.TempDir())
	w.Page(host, "/../../x\x00", answer("page", hour))
	w.get(t, "/../../x%00")
	assert.Regexp(t, `^[0-9a-f]{64}$`, filepath.Base(w.file(t)))
	if runtime.GOOS == "windows" {
		return
	}
	for name, mode := range map[string]os.FileMode{w.file(t): 0o600, w.Folder.Name: 0o700} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), name)
	}
}

// The folder keeps its bounds, whatever comes, and what was used last.
func TestBounds(t *testing.T) {
	for name, test := range map[string]struct {
		bytes int64
		pages int
		size  int
	}{
		"octets": {1 << 20, 0, 20_000},
		"pages":  {0, 32, 10},
	} {
		t.Run(name, func(t *testing.T) {
			w := worldOf(t, origintest.New(t), t.TempDir())
			w.Folder.MaxBytes, w.Folder.MaxPages = test.bytes, test.pages
			page := strings.Repeat("x", test.size)
			w.Page("", "", answer(page, hour))
			for i := range 100 {
				path := fmt.Sprint("/", i)
				w.Page(host, path, answer(page, hour))
				w.get(t, path)
				w.get(t, "/0") // which stays
				n, bytes, err := w.Folder.Size()
				require.NoError(t, err)
				if test.bytes > 0 {
					require.LessOrEqual(t, bytes, test.bytes)
				} else {
					require.LessOrEqual(t, n, test.pages)
				}
			}
			w.Take()
			w.get(t, "/0")
			w.get(t, "/99")
			assert.Empty(t, w.Take().Pages())
			w.get(t, "/1")
			assert.Len(t, w.Take().Pages(), 1)
			assert.Greater(t, w.count(t), 20)
		})
	}
}

// What a process that was killed leaves behind goes. What another one still writes stays,
// and what the clock was set back from goes first.
func TestLeftBehind(t *testing.T) {
	w := worldOf(t, origintest.New(t), t.TempDir())
	w.Folder.MaxPages = 3
	require.NoError(t, os.Mkdir(w.Folder.Name, 0o700))
	now := time.Now()
	for name, used := range map[string]time.Time{
		"dead.part": now.Add(-48 * time.Hour), "alive.part": now.Add(-time.Minute), "to-come": now.Add(9999 * time.Hour),
	} {
		file := filepath.Join(w.Folder.Name, name)
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		require.NoError(t, os.Chtimes(file, used, used))
	}
	w.Page(host, "/a", answer("page", hour))
	w.get(t, "/a")
	entries, err := os.ReadDir(w.Folder.Name)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Len(t, names, 2)
	assert.True(t, slices.Contains(names, "alive.part"))
}

// A disk that takes nothing harms no page, and is told.
func TestCannotWrite(t *testing.T) {
	w := worldOf(t, origintest.New(t), t.TempDir())
	var failed []error
	w.Folder.Failed = func(err error) { failed = append(failed, err) }
	require.NoError(t, os.WriteFile(w.Folder.Name, nil, 0o600)) // a file where the folder should be
	w.Page(host, "/a", answer("page", hour))
	for range 2 {
		_, body := w.get(t, "/a")
		assert.Equal(t, "page", body)
	}
	assert.NotEmpty(t, failed)
	assert.Len(t, w.Log().Pages(), 2)
}

package pagecache_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const hour = "Cache-Control: max-age=3600"

// Only what arrived whole is kept, byte by byte.
func TestBodies(t *testing.T) {
	binary := string(bytes.Repeat([]byte{0, 255, '\n'}, 100_000))
	for name, test := range map[string]struct {
		page http.HandlerFunc
		body string // "" if it is not kept
	}{
		"with a length":    {withAge(answer("page", "Content-Length: 4")), "page"},
		"in chunks":        {withAge(origintest.Drip("page", 0)), "page"},
		"compressed":       {withAge(origintest.Gzip("page")), "page"},
		"binary":           {withAge(answer(binary)), binary},
		"until the close":  {origintest.Raw("HTTP/1.1 200 OK\r\n" + hour + "\r\nConnection: close\r\n\r\npage"), ""},
		"cut":              {withAge(origintest.Cut("page")), ""},
		"cut in chunks":    {withAge(origintest.CutChunked("page")), ""},
		"compressed badly": {withAge(origintest.Encoded("gzip", "page")), ""},
		"too large":        {withAge(answer(strings.Repeat("x", 64<<10+1))), ""},
		"as large as may":  {withAge(answer(strings.Repeat("x", 64<<10))), strings.Repeat("x", 64<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			w := worldOf(t, origintest.New(t), t.TempDir())
			if name != "binary" {
				w.Folder.MaxBytes = 1 << 20
			}
			w.Page(host, "/a", test.page)
			resp, err := w.try(t.Context(), "/a")
			require.NoError(t, err)
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			assert.Empty(t, parts(t, w))
			if test.body == "" {
				assert.Zero(t, w.count(t))
				return
			}
			resp, body := w.get(t, "/a")
			assert.Equal(t, test.body, body)
			assert.EqualValues(t, len(test.body), resp.ContentLength)
			assert.Len(t, w.Log().Pages(), 1)
		})
	}
}

func withAge(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		next(w, r)
	}
}

// parts returns the files of pages that are not whole.
func parts(t testing.TB, w *world) []string {
	names, err := filepath.Glob(filepath.Join(w.Folder.Name, "*.part"))
	require.NoError(t, err)
	return names
}

// A body that its reader leaves is not kept, unless all of it was read.
func TestReaderLeaves(t *testing.T) {
	for size, kept := range map[int64]int{0: 0, 3: 0, 4: 1} {
		w := worldOf(t, origintest.New(t), t.TempDir())
		w.Page(host, "/a", answer("page", hour, "Content-Length: 4"))
		resp, err := w.try(t.Context(), "/a")
		require.NoError(t, err)
		_, err = io.CopyN(io.Discard, resp.Body, size)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, kept, w.count(t), size)
		assert.Empty(t, parts(t, w))
	}
}

// A request that is cancelled while its body comes leaves nothing behind.
func TestCancelled(t *testing.T) {
	w := worldOf(t, origintest.New(t), t.TempDir())
	w.Page(host, "/a", withAge(origintest.HangAfter("half")))
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := w.try(ctx, "/a")
	require.NoError(t, err)
	_, err = io.ReadFull(resp.Body, make([]byte, 4))
	require.NoError(t, err)
	assert.Len(t, parts(t, w), 1)
	cancel()
	_, err = io.ReadAll(resp.Body)
	require.ErrorIs(t, err, context.Canceled)
	resp.Body.Close()
	assert.Empty(t, parts(t, w))
	assert.Zero(t, w.count(t))
}

// A page is streamed: a large one takes no more memory than a small one.
func TestMemory(t *testing.T) {
	w := worldOf(t, origintest.New(t), t.TempDir())
	const size = 16 << 20
	part := make([]byte, 1<<10)
	w.Page(host, "/a", withAge(func(rw http.ResponseWriter, _ *http.Request) {
		for range size >> 10 {
			rw.Write(part)
		}
	}))
	for range 2 { // from the site, and from the disk
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		resp, err := w.try(t.Context(), "/a")
		require.NoError(t, err)
		n, err := io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		runtime.ReadMemStats(&after)
		assert.EqualValues(t, size, n)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(size/8))
	}
	assert.Len(t, w.kept, 1)
}

// Many requests for a page at once, of two processes, get the page, and leave one.
func TestCrowd(t *testing.T) {
	w := worldOf(t, origintest.New(t), t.TempDir())
	page := strings.Repeat("page", 10_000)
	w.Page(host, "/a", tagged(page, `"1"`))
	w.Kept = nil
	other := w.again(t)
	other.Kept = nil
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			resp, err := []*world{w, other}[i%2].try(t.Context(), "/a")
			if assert.NoError(t, err) {
				body, err := io.ReadAll(resp.Body)
				assert.NoError(t, err)
				assert.Equal(t, page, string(body))
				resp.Body.Close()
			}
		})
	}
	all.Wait()
	assert.Equal(t, 1, w.count(t))
	assert.Empty(t, parts(t, w))
}

// A reader keeps a page that is deleted meanwhile.
func TestDeletedMeanwhile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is read cannot be deleted")
	}
	w := worldOf(t, origintest.New(t), t.TempDir())
	w.Page(host, "/a", answer("page", hour))
	w.get(t, "/a")
	resp, err := w.try(t.Context(), "/a")
	require.NoError(t, err)
	require.NoError(t, w.Folder.Clear())
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, "page", string(body))
	require.NoError(t, resp.Body.Close())
	assert.NoDirExists(t, w.Folder.Name)
}

// The folder may be cleared while a page comes. Then the page is not kept.
func TestClearedMeanwhile(t *testing.T) {
	w := worldOf(t, origintest.New(t), t.TempDir())
	w.Page(host, "/a", answer("page", hour))
	resp, err := w.try(t.Context(), "/a")
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(w.Folder.Name))
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, "page", string(body))
	resp.Body.Close()
	assert.Zero(t, w.count(t))
}

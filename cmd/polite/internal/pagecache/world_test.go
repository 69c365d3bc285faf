package pagecache_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const host = "shop.example"

// A world is a site, and a Transport that keeps its pages.
type world struct {
	*origintest.Server
	*pagecache.Transport
	kept []pagecache.Kept
}

// newWorld returns a world without sockets, for a synctest bubble.
func newWorld(t testing.TB) *world { return worldOf(t, origintest.NewInMemory(t), t.TempDir()) }

func worldOf(t testing.TB, s *origintest.Server, folder string) *world {
	w := &world{Server: s}
	w.Transport = &pagecache.Transport{
		Polite: &polite.Transport{UserAgent: "ExampleBot/1.0", Base: s.Transport(t)},
		Folder: &pagecache.Folder{Name: filepath.Join(folder, "pages"), Failed: func(err error) { assert.NoError(t, err) }},
		Kept:   func(_ *http.Request, k pagecache.Kept) { w.kept = append(w.kept, k) },
	}
	t.Cleanup(func() {
		w.CloseIdleConnections()
		open, _ := filepath.Glob("/proc/self/fd/*") // there are none but on Linux
		for _, file := range open {
			name, _ := os.Readlink(file)
			assert.False(t, strings.HasPrefix(name, folder), "%s is still open", name)
		}
	})
	return w
}

// again returns the world with another Transport, as another process has it.
func (w *world) again(t testing.TB) *world {
	return worldOf(t, w.Server, filepath.Dir(w.Folder.Name))
}

// get fetches a page, with fields as in "Accept: text/html".
func (w *world) get(t testing.TB, path string, fields ...string) (*http.Response, string) {
	resp, err := w.try(t.Context(), path, fields...)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp, string(body)
}

func (w *world) try(ctx context.Context, path string, fields ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+path, nil)
	if err != nil {
		return nil, err
	}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		req.Header.Set(name, value)
	}
	return w.RoundTrip(req)
}

// count returns how many pages are on disk.
func (w *world) count(t testing.TB) int {
	n, _, err := w.Folder.Size()
	require.NoError(t, err)
	return n
}

// answer returns a page with fields as in "ETag: \"1\"".
func answer(body string, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, field := range fields {
			name, value, _ := strings.Cut(field, ": ")
			w.Header().Add(name, value)
		}
		io.WriteString(w, body)
	}
}

// tagged returns a page with an ETag, which answers 304 while the ETag is that of the
// caller.
func tagged(body, tag string, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == tag {
			w.Header().Set("ETag", tag)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		answer(body, append(fields, "ETag: "+tag)...)(w, r)
	}
}

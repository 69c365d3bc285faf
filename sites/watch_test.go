package sites_test

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/sites"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A watch is a file that is watched, and the errors that were told.
type watch struct {
	t      *testing.T
	name   string
	site   func(*http.Request) *polite.Options
	errors []error
}

func newWatch(t *testing.T, text string) *watch {
	w := &watch{t: t, name: filepath.Join(t.TempDir(), "sites.txt")}
	w.write(text)
	site, err := sites.Watch(w.name, func(err error) { w.errors = append(w.errors, err) })
	require.NoError(t, err)
	w.site = site
	return w
}

// write writes the file now, by the clock of the bubble.
func (w *watch) write(text string) {
	require.NoError(w.t, os.WriteFile(w.name, []byte(text), 0o600))
	require.NoError(w.t, os.Chtimes(w.name, time.Time{}, time.Now()))
}

// delay returns the delay that applies to a request, or -1.
func (w *watch) delay() time.Duration {
	req, err := http.NewRequest(http.MethodGet, "http://example.com/", nil)
	require.NoError(w.t, err)
	site := w.site(req)
	if site == nil {
		return -1
	}
	return site.Pace.MinDelay
}

// A change applies when the file is a second old, and not while it is being written.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, "example.com delay=1s")
		time.Sleep(time.Hour)
		assert.Equal(t, time.Second, w.delay())
		w.write("")
		time.Sleep(999 * time.Millisecond)
		assert.Equal(t, time.Second, w.delay(), "nobody looks")
		time.Sleep(time.Millisecond / 2)
		w.write("example.com ")
		time.Sleep(time.Millisecond / 2)
		assert.Equal(t, time.Second, w.delay(), "somebody still writes")
		w.write("example.com delay=2s")
		time.Sleep(time.Second)
		assert.Equal(t, 2*time.Second, w.delay())
		w.write("")
		time.Sleep(time.Second)
		assert.Equal(t, time.Duration(-1), w.delay())
		assert.Empty(t, w.errors)
	})
}

// A change that leaves size and time as they were is seen when another file takes the name.
func TestWatchRename(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, "example.com delay=1s")
		time.Sleep(time.Hour)
		assert.Equal(t, time.Second, w.delay())
		info, err := os.Stat(w.name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(w.name+".new", []byte("example.com delay=2s"), 0o600))
		require.NoError(t, os.Chtimes(w.name+".new", time.Time{}, info.ModTime()))
		require.NoError(t, os.Rename(w.name+".new", w.name))
		assert.Equal(t, time.Second, w.delay(), "nobody looks twice in a second")
		time.Sleep(time.Second)
		assert.Equal(t, 2*time.Second, w.delay())
	})
}

// A change that leaves the time as it was is seen by the size.
func TestWatchSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, "example.com delay=1s")
		written := time.Now()
		time.Sleep(time.Hour)
		assert.Equal(t, time.Second, w.delay())
		require.NoError(t, os.WriteFile(w.name, []byte("example.com delay=20s"), 0o600))
		require.NoError(t, os.Chtimes(w.name, time.Time{}, written))
		time.Sleep(time.Second)
		assert.Equal(t, 20*time.Second, w.delay())
	})
}

// A file that goes and comes back as it was is well again: that it goes once more is told.
func TestWatchComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, "example.com delay=1s")
		for range 3 {
			time.Sleep(time.Minute)
			assert.Equal(t, time.Second, w.delay())
			require.NoError(t, os.Rename(w.name, w.name+".away"))
			time.Sleep(time.Second)
			assert.Equal(t, time.Second, w.delay())
			require.NoError(t, os.Rename(w.name+".away", w.name))
		}
		assert.Len(t, w.errors, 3)
	})
}

// A file with a time in the future applies when two looks have found the same.
func TestWatchAnotherClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, "example.com delay=1s")
		time.Sleep(time.Hour)
		assert.Equal(t, time.Second, w.delay())
		time.Sleep(time.Second)
		w.write("example.com delay=2s")
		require.NoError(t, os.Chtimes(w.name, time.Time{}, time.Now().Add(time.Hour)))
		assert.Equal(t, time.Second, w.delay())
		time.Sleep(time.Second)
		assert.Equal(t, 2*time.Second, w.delay())
	})
}

// In a bubble, a change of a file by the clock of the system applies when the next request looks.
func TestWatchInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, "")
		require.NoError(t, os.WriteFile(w.name, []byte("example.com delay=1s"), 0o600))
		time.Sleep(time.Second)
		assert.Equal(t, time.Second, w.delay())
		require.NoError(t, os.WriteFile(w.name, []byte("example.com delay=2s"), 0o600)) // of the same size, and perhaps time
		time.Sleep(time.Second)
		assert.Equal(t, 2*time.Second, w.delay())
		time.Sleep(time.Hour)
		assert.Equal(t, 2*time.Second, w.delay())
		require.NoError(t, os.WriteFile(w.name, []byte("example.com dealy=1s"), 0o600))
		for range 3 {
			time.Sleep(time.Second)
			assert.Equal(t, 2*time.Second, w.delay())
		}
		assert.Len(t, w.errors, 1)
	})
}

// If the file is of no use, the last good table applies. Each error is told once.
func TestWatchErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, "example.com delay=1s")
		looks := func() {
			t.Helper()
			for range 5 {
				time.Sleep(time.Second)
				assert.Equal(t, time.Second, w.delay())
			}
		}
		w.write("example.com dealy=2s")
		looks()
		require.Len(t, w.errors, 1)
		assert.ErrorContains(t, w.errors[0], "sites.txt:1:13: unknown setting")
		require.NoError(t, os.Remove(w.name))
		looks()
		require.Len(t, w.errors, 2)
		assert.ErrorIs(t, w.errors[1], fs.ErrNotExist)
		w.write("example.com delay=1s")
		looks()
		require.NoError(t, os.Remove(w.name))
		looks()
		assert.Len(t, w.errors, 3, "all was well meanwhile")
	})
}

// A failed that panics harms no other request.
func TestWatchPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, "example.com delay=1s")
		site, err := sites.Watch(w.name, func(err error) { panic(err) })
		require.NoError(t, err)
		w.site = site
		require.NoError(t, os.Remove(w.name))
		time.Sleep(time.Second)
		assert.Panics(t, func() { w.delay() })
		w.write("example.com delay=2s")
		time.Sleep(time.Second)
		assert.Equal(t, 2*time.Second, w.delay())
	})
}

func TestWatchNoFile(t *testing.T) {
	_, err := sites.Watch(filepath.Join(t.TempDir(), "sites.txt"), nil)
	assert.True(t, errors.Is(err, fs.ErrNotExist))
}

// Many requests look at the same time, while the file changes.
func TestWatchCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, "example.com delay=1s")
		for round := range 20 {
			w.write([]string{"example.com delay=1s", "example.com delay=2s", "example.com delay"}[round%3])
			time.Sleep(time.Second)
			var crowd sync.WaitGroup
			for range 10 {
				crowd.Go(func() { assert.Positive(t, w.delay()) })
			}
			crowd.Wait()
		}
	})
}

// Between two looks, a request allocates nothing.
func TestWatchAllocates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t, "example.com delay=1s")
		req, err := http.NewRequest(http.MethodGet, "http://example.com/", nil)
		require.NoError(t, err)
		assert.Zero(t, testing.AllocsPerRun(100, func() { w.site(req) }))
	})
}

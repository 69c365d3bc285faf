//go:build unix

package pagecache_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is no file holds nobody up, and makes room for a page.
func TestPipe(t *testing.T) {
	w := worldOf(t, origintest.New(t), t.TempDir())
	w.Page(host, "/a", answer("page", hour))
	w.get(t, "/a")
	name := w.file(t)
	require.NoError(t, os.Remove(name))
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	w.Take()
	for range 2 {
		_, body := w.get(t, "/a")
		assert.Equal(t, "page", body)
	}
	assert.Len(t, w.Take().Pages(), 1)
}

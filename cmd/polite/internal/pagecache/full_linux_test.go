package pagecache_test

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fullVariable tells the test that it is the process with little room.
const fullVariable = "POLITE_TEST_LITTLE_ROOM"

// A disk that becomes full while a page comes harms neither the page nor its reader.
func TestDiskFull(t *testing.T) {
	if os.Getenv(fullVariable) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiskFull$")
		cmd.Env = append(os.Environ(), fullVariable+"=1")
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s", out)
		return
	}
	// No file becomes larger: a write fails with EFBIG, since Go ignores SIGXFSZ.
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100_000, Max: 100_000}))
	w := worldOf(t, origintest.New(t), t.TempDir())
	var failed []error
	w.Folder.Failed = func(err error) { failed = append(failed, err) }
	page := strings.Repeat("page", 100_000)
	w.Page(host, "/a", answer(page, hour))
	resp, err := w.try(t.Context(), "/a")
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, page, string(body))
	require.Len(t, failed, 1)
	assert.ErrorIs(t, failed[0], syscall.EFBIG)
	assert.Zero(t, w.count(t))
	assert.Empty(t, parts(t, w))
}

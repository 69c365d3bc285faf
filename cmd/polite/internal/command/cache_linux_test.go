package command

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallDisk makes a folder the only one of a disk with so many bytes.
func smallDisk(t *testing.T, bytes int) string {
	folder := t.TempDir()
	if err := syscall.Mount("none", folder, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skip("no disk can be mounted here: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(folder, syscall.MNT_DETACH) })
	return folder
}

// A disk may be full from the beginning, or become full. Get tells it in one line, and
// does its work.
func TestFullDisk(t *testing.T) {
	for _, free := range []int{0, 4, 8, 16, 24, 32, 36, 40, 44, 48, 64, 80} {
		t.Run(fmt.Sprint(free, " KiB"), func(t *testing.T) {
			s := newSite(t, bigRobots, nil)
			disk := smallDisk(t, 256<<10)
			write(t, filepath.Join(disk, "other"), strings.Repeat("x", (256-free)<<10))
			t.Setenv(cachefile.Variable, disk)
			got := runHurried(t, "get", s.URL+"/a")
			assert.Equal(t, 0, got.status)
			assertOneWarning(t, got.stderr)
			got = runHurried(t, "get", s.URL+"/a")
			assert.Equal(t, 0, got.status)
			assertOneWarning(t, got.stderr)

			require.NoError(t, os.Remove(filepath.Join(disk, "other")))
			assert.Equal(t, 0, runHurried(t, "get", s.URL+"/a").status)
			got = runHurried(t, "get", s.URL+"/a")
			assert.NotContains(t, got.stderr, "cache", "once there is room, all is well")
		})
	}
}

// bigRobots answers with a robots.txt of 60 KB that cannot be made much smaller.
func bigRobots(w http.ResponseWriter, _ *http.Request) {
	random := rand.New(rand.NewPCG(1, 2))
	io.WriteString(w, "user-agent: *\n")
	for range 3000 {
		fmt.Fprintf(w, "disallow: /x%x\n", random.Uint64())
	}
}

// assertOneWarning checks that there are a line about the page and at most one about the
// cache.
func assertOneWarning(t *testing.T, stderr string) {
	var page, cache int
	for line := range strings.Lines(stderr) {
		switch {
		case strings.HasPrefix(line, "allowed "):
			page++
		case strings.HasPrefix(line, "polite get: ") && strings.Contains(line, "cache"):
			cache++
			assert.Contains(t, line, "no space left on device")
		default:
			assert.Fail(t, "a line about nothing", line)
		}
	}
	assert.Equal(t, 1, page)
	assert.LessOrEqual(t, cache, 1)
}

// A disk that nobody can write to: get does its work, and polite cache tells the same.
func TestReadOnlyDisk(t *testing.T) {
	s := shopSite(t)
	disk := smallDisk(t, 256<<10)
	require.NoError(t, syscall.Mount("none", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	for _, folder := range []string{disk, filepath.Join(disk, "a", "b")} {
		t.Setenv(cachefile.Variable, folder)
		advice := "cannot write to " + folder + ": give your user the right, or set POLITE_CACHE to another folder\n"
		got := runCommand(t, "get", s.URL+"/a")
		assert.Equal(t, 0, got.status)
		assert.Contains(t, got.stderr, "polite get: goes on without the cache: "+advice)
		assert.Equal(t, result{1, "", "polite cache: " + advice}, runCommand(t, "cache"))
		assert.Equal(t, result{1, "", "polite cache list: " + advice}, runCommand(t, "cache", "list"))
	}
}

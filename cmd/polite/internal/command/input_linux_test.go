package command

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Of a file of any size no more is read than counts.
func TestHugeFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "robots.txt")
	file, err := os.Create(name)
	require.NoError(t, err)
	defer file.Close()
	_, err = file.WriteString("user-agent: *\ndisallow: /x\nsitemap: https://a.example/s.xml\n")
	require.NoError(t, err)
	require.NoError(t, file.Truncate(1<<30))
	for _, args := range reading {
		got := runSmall(t, nil, withFile(args, name)...)
		assert.NotContains(t, got.stderr, "goroutine", args)
		assert.LessOrEqual(t, got.status, 3, args)
	}
	got := runProcess(t, nil, "check", "-f", name, "/x")
	assert.Equal(t, 3, got.status)
	assert.Contains(t, got.stdout, "only its first 512000 bytes count")
	got = runProcess(t, nil, "records", "--sitemaps", name)
	assert.Equal(t, "https://a.example/s.xml\n", got.stdout)
}

// So it is of standard input, which may have no end.
func TestEndlessInput(t *testing.T) {
	for _, args := range reading {
		zero, err := os.Open("/dev/zero")
		require.NoError(t, err)
		got := runSmall(t, zero, withFile(args, "-")...)
		zero.Close()
		assert.NotContains(t, got.stderr, "goroutine", args)
	}
}

var peak = regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`)

// runSmall runs a command as a process of its own, and checks that it takes little memory.
// The command tells this itself: what the kernel tells its parent, Maxrss, is never less
// than what the parent has.
func runSmall(t *testing.T, stdin io.Reader, args ...string) result {
	const kilobytes = 200_000
	file := filepath.Join(t.TempDir(), "status")
	t.Setenv(statusFile, file)
	got := runProcess(t, stdin, args...)
	status, err := os.ReadFile(file)
	require.NoError(t, err, args)
	match := peak.FindSubmatch(status)
	require.NotNil(t, match, "%s", status)
	n, err := strconv.Atoi(string(match[1]))
	require.NoError(t, err)
	assert.Less(t, n, kilobytes, args)
	return got
}

// A pipe that nobody writes to does not keep a command that is interrupted.
func TestPipeInterrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	for _, args := range [][]string{{"lint", name}, {"records", name}, {"check", "-f", name, "/x"}} {
		var stderr strings.Builder
		assert.Equal(t, 1, runTo(ctx, args, streams(nil, io.Discard, &stderr)))
		assert.Equal(t, "polite "+args[0]+": enough\n", stderr.String())
	}
}

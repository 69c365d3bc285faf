package command

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// As a process, the tester shows its link to nobody but who started it, and leaves nothing
// behind. The browser here is a script.
func TestTesterOpens(t *testing.T) {
	folder, temp := t.TempDir(), t.TempDir()
	out := filepath.Join(folder, "out")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "xdg-open"), []byte("#!/bin/sh\ncp \"$1\" "+out+".part\necho \"$@\" >> "+out+".part\nmv "+out+".part "+out+"\n"), 0o700))
	cmd := process(t, "tester", "--no-cache")
	cmd.Env = append(cmd.Env, "PATH="+folder+":"+os.Getenv("PATH"), "DISPLAY=:0", "TMPDIR="+temp)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	link, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	link = strings.TrimSpace(link)
	require.Eventually(t, func() bool { _, err := os.Stat(out); return err == nil }, 20*time.Second, 5*time.Millisecond)
	seen, err := os.ReadFile(out)
	require.NoError(t, err)
	page, arguments, _ := strings.Cut(string(seen), "</title>\n")
	assert.Contains(t, page, "url="+link)
	assert.NotContains(t, arguments, link)
	assert.NotEmpty(t, entries(t, temp))

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
	require.NoError(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Eventually(t, func() bool { return len(entries(t, temp)) == 0 }, 10*time.Second, time.Millisecond, "what led there is gone")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	assert.NoError(t, cmd.Wait())
	assert.Equal(t, 0, cmd.ProcessState.ExitCode())
	assert.Empty(t, entries(t, temp))
}

func entries(t *testing.T, folder string) []os.DirEntry {
	found, err := os.ReadDir(folder)
	require.NoError(t, err)
	return found
}

// Without a browser the link is printed all the same.
func TestTesterWithoutBrowser(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	link, end := startTester(t)
	assert.Contains(t, askTester(t, link, "start", map[string]string{"request": "{}"}), `"state":""`)
	got := end()
	assert.Equal(t, 0, got.status)
	assert.Contains(t, got.stderr, "polite tester: open the link in a browser: there is no display")
}

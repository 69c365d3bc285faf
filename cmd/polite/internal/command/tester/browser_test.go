package tester

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const link = "http://127.0.0.1:1234/a-Secret_token/?a&b"

// The program that opens the page is not told the link, but a file that only its user can
// read. The file is gone when the page has been shown.
func TestOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is the browser")
	}
	temp, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	t.Setenv("TMPDIR", temp)
	script := filepath.Join(t.TempDir(), "browser")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho \"$@\" > "+out+".part\nenv >> "+out+".part\necho PID $$ $(cut -d ' ' -f 5 /proc/$$/stat) >> "+out+".part\nmv "+out+".part "+out+"\n"), 0o700))
	shut, err := openWith(link, []string{script, "--new"}, "")
	require.NoError(t, err)
	require.Eventually(t, func() bool { _, err := os.Stat(out); return err == nil }, 10*time.Second, time.Millisecond)
	seen, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.NotContains(t, string(seen), "a-Secret_token", "in the arguments or the environment")

	if runtime.GOOS == "linux" {
		words := strings.Fields(string(seen))
		assert.Equal(t, words[len(words)-2], words[len(words)-1], "it leads a process group: Ctrl-C for polite does not end the browser")
	}
	arguments, _, _ := strings.Cut(string(seen), "\n")
	name := strings.TrimPrefix(arguments, "--new ")
	assertOwn(t, filepath.Dir(name), 0o700)
	assertOwn(t, name, 0o600)
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Contains(t, string(page), `content="0; url=http://127.0.0.1:1234/a-Secret_token/?a&amp;b"`)

	shut()
	shut()
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// Where browsers are snaps, the file is in the home folder, and is not hidden: they can read it
// nowhere else.
func TestSnapsReadTheHomeFolder(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	if runtime.GOOS == "windows" {
		t.Skip("the home folder is another variable")
	}
	assert.Equal(t, home, place(t.TempDir()))
	assert.Empty(t, place(filepath.Join(home, "none")))

	shut, err := openWith(link, []string{"true"}, home)
	require.NoError(t, err)
	made, err := filepath.Glob(filepath.Join(home, "*", "open.html"))
	require.NoError(t, err)
	require.Len(t, made, 1)
	assert.False(t, strings.HasPrefix(filepath.Base(filepath.Dir(made[0])), "."))
	assertOwn(t, filepath.Dir(made[0]), 0o700)
	assertOwn(t, made[0], 0o600)
	shut()
	left, err := os.ReadDir(home)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func assertOwn(t *testing.T, name string, mode os.FileMode) {
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, mode, info.Mode().Perm())
}

// If there is no browser, this is told, and nothing is left.
func TestNoBrowser(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("PATH", temp)
	for _, display := range []string{"", ":0"} {
		t.Setenv("DISPLAY", display)
		t.Setenv("WAYLAND_DISPLAY", "")
		if runtime.GOOS == "linux" {
			_, err := openLink(link)
			assert.ErrorContains(t, err, "there is no display, or no program that opens pages")
		}
	}
	shut, err := openWith(link, []string{filepath.Join(temp, "none")}, filepath.Join(temp, "no home"))
	assert.Error(t, err)
	assert.NotContains(t, err.Error(), "a-Secret_token")
	shut()
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, left)
}

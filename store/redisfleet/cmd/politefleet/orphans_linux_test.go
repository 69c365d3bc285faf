package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If the demo is killed, nothing of it is left, not even a process that is paused.
func TestDemoIsKilled(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	demo := exec.Command(self, "demo")
	demo.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	require.NoError(t, demo.Start())
	defer demo.Wait()
	defer demo.Process.Kill()
	var children []string
	require.Eventually(t, func() bool {
		children = childrenOf(t, demo.Process.Pid)
		return len(children) >= 4 && anyStopped(children)
	}, 30*time.Second, 50*time.Millisecond)
	require.NoError(t, demo.Process.Kill())
	assert.Eventually(t, func() bool {
		for _, child := range children {
			if state := stateOf(child); state != "" && state != "Z" {
				return false
			}
		}
		return true
	}, 10*time.Second, 50*time.Millisecond)
}

func childrenOf(t *testing.T, pid int) (children []string) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	require.NoError(t, err)
	for _, file := range files {
		text, _ := os.ReadFile(file)
		children = append(children, strings.Fields(string(text))...)
	}
	return children
}

func anyStopped(children []string) bool {
	for _, child := range children {
		if stateOf(child) == "T" {
			return true
		}
	}
	return false
}

// stateOf returns the letter of the state of a process, or nothing if it is gone.
func stateOf(pid string) string {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return ""
	}
	after := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	return after[0]
}

package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Nobody reads the key of the proxy in its memory, nor does a command that it runs.
func TestProxyHides(t *testing.T) {
	t.Cleanup(func() { unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) })
	for verb, serve := range map[string]func(){
		"proxy": func() { startProxy(t) },
		"run":   func() { runFetching(t, nil) },
	} {
		require.NoError(t, unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0))
		serve()
		dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
		require.NoError(t, err)
		assert.Zero(t, dumpable, verb)
	}
}

package command

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClosedPipe(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{"/a": origintest.Text("page\n"), "/b": origintest.Text("page\n")})
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	reader.Close()
	defer writer.Close()

	cmd := process(t, "get", s.URL+"/a", s.URL+"/b")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = writer, &stderr
	require.ErrorAs(t, cmd.Run(), new(*exec.ExitError))

	assert.Equal(t, 1, cmd.ProcessState.ExitCode())
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	require.Len(t, lines, 2, "no stack trace: %s", stderr.String())
	assert.Regexp(t, `^failed      200  \S+/a  write /dev/stdout: `, lines[0])
	assert.Regexp(t, `^polite get: 2 of 2 URLs were not fetched: write /dev/stdout: `, lines[1])
	assert.Equal(t, []string{"/robots.txt", "/a"}, s.arrivals(), "what cannot be written is not asked for")
}

// When nobody reads any more, as after head, the commands end without a word.
func TestQuietWhenClosed(t *testing.T) {
	for _, args := range append(reading, []string{"check", "-A", "a", "-A", "b", "/x", "-f"}) {
		reader, writer, err := os.Pipe()
		require.NoError(t, err)
		reader.Close()
		cmd := process(t, withFile(args, "testdata/shop.txt")...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = writer, &stderr
		err = cmd.Run()
		writer.Close()
		if args[0] == "lint" && err == nil {
			continue // has found nothing to write
		}
		require.ErrorAs(t, err, new(*exec.ExitError), args)
		assert.Equal(t, 1, cmd.ProcessState.ExitCode(), args)
		assert.Empty(t, stderr.String(), args)
	}
}

package child

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// isolated is run for a command with a network of its own. It skips the test where the kernel
// allows none.
func isolated(t *testing.T, line string) (result, *recorder) {
	c := shell(line)
	c.Isolate = Always
	got, r, err := run(t, c)
	if err != nil && strings.HasPrefix(err.Error(), "--isolate: this system") {
		t.Skip(err)
	}
	require.NoError(t, err)
	return got, r
}

// All that a command in a room reaches is the proxy.
func TestRoom(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("there is no curl")
	}
	arrived := 0
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived++ }))
	defer site.Close()
	got, r := isolated(t, curl+" -s http://example.com/a; "+curl+" -s --noproxy '*' "+site.URL)
	assert.Equal(t, result{7, "through the proxy\n", ""}, got, "7 is a connection that is refused")
	assert.Equal(t, []string{"http://example.com/a"}, r.asked)
	assert.Zero(t, arrived)

	got, _ = isolated(t, "grep -o '^ *[a-z0-9]*:' /proc/net/dev; ls -l /proc/self/fd | grep -c socket:")
	assert.Equal(t, "lo:0", strings.Join(strings.Fields(got.out), ""), "no socket of another network is handed down")
}

// A command in a room is the same user, has the streams and its exit status, and may not set
// up the network.
func TestRoomIsOrdinary(t *testing.T) {
	id, err := exec.Command("id", "-u").Output()
	require.NoError(t, err)
	got, _ := isolated(t, "id -u; cat; exit 7")
	assert.Equal(t, result{7, string(id) + "input\n", ""}, got)
	got, _ = isolated(t, "kill -TERM $$")
	assert.Equal(t, 143, got.status)
}

// Arguments and variables reach a command in a room octet for octet: names of files need not be
// UTF-8.
func TestRoomKeepsOctets(t *testing.T) {
	c := shell(`printf %s "$1$FILE"`)
	c.Args, c.Environ, c.Isolate = append(c.Args, "sh", "caf\xe9"), append(os.Environ(), "FILE=\xff\xfe"), Always
	isolated(t, "true")
	got, _, err := run(t, c)
	require.NoError(t, err)
	assert.Equal(t, "caf\xe9\xff\xfe", got.out)
}

// A program that the kernel does not take is told of.
func TestRoomDoesNotStart(t *testing.T) {
	nonsense := t.TempDir() + "/nonsense"
	require.NoError(t, os.WriteFile(nonsense, []byte("\x7fELF"), 0o700))
	isolated(t, "true")
	_, _, err := run(t, Command{Args: []string{nonsense}, Isolate: Always})
	var start *StartError
	require.ErrorAs(t, err, &start)
	assert.Equal(t, 126, start.Status)
}

// If the proxy cannot be opened, no doorkeeper is left.
func TestRoomWithoutProxy(t *testing.T) {
	isolated(t, "true")
	c := shell("true")
	c.Isolate, c.Environ = Always, os.Environ()
	c.Open = func(net.Listener, bool) (Gate, error) { return Gate{}, os.ErrDeadlineExceeded }
	_, err := c.Run()
	assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

package programs

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// temporary is a folder for what is built once.
var temporary string

func TestMain(m *testing.M) { os.Exit(test(m)) }

func test(m *testing.M) int {
	folder, err := os.MkdirTemp("", "programs-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	temporary = folder
	return m.Run()
}

// built is the path of the command.
var built = sync.OnceValues(func() (string, error) { return build("polite", "../../../../cmd/polite", ".") })

// build builds a program of a folder, and returns its path.
func build(name, folder, source string) (string, error) {
	path := filepath.Join(temporary, name)
	out, err := exec.Command("go", "build", "-C", folder, "-o", path, source).CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
}

// An outcome is what a command left behind.
type outcome struct {
	status   int
	out, err string
}

// longest is how long a command may take on a machine that does much else.
const longest = 2 * time.Minute

// politely runs a command line under polite run, which reaches the web alone.
func politely(t *testing.T, w *web, flags []string, line ...string) outcome {
	polite, err := built()
	require.NoError(t, err)
	args := append([]string{"run", "-A", userAgent}, flags...)
	cmd := exec.CommandContext(t.Context(), polite, append(append(args, "--"), line...)...)
	cmd.Env = append(withoutProxies(os.Environ()), "http_proxy="+w.URL, "https_proxy="+w.URL, "SSL_CERT_FILE="+w.CA, "XDG_CACHE_HOME="+t.TempDir(), "HOME="+t.TempDir())
	cmd.Env = append(cmd.Env, modules()...)
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	timer := time.AfterFunc(longest, func() { cmd.Process.Kill() })
	defer timer.Stop()
	if err := cmd.Run(); err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError), "%s", line)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// withoutProxies returns an environment without the proxies of who runs the test.
func withoutProxies(env []string) (rest []string) {
	for _, variable := range env {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasSuffix(strings.ToLower(name), "_proxy") {
			rest = append(rest, variable)
		}
	}
	return rest
}

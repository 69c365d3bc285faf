package tester

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// built is the path of the command, in a folder that TestMain removes.
var built = sync.OnceValues(func() (string, error) {
	command := filepath.Join(temporary, "polite")
	out, err := exec.Command("go", "build", "-C", "../../../../cmd/polite", "-o", command, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return command, nil
})

func command(t testing.TB) string {
	path, err := built()
	require.NoError(t, err)
	return path
}

// A program is polite tester at work.
type program struct {
	Link   string
	Folder string // its temporary folder
	cmd    *exec.Cmd
	errors *bytes.Buffer
	ended  sync.Once
}

// start runs polite tester, and ends it with the test.
func start(t testing.TB, args ...string) *program {
	p := &program{Folder: t.TempDir(), errors: new(bytes.Buffer)}
	p.cmd = exec.Command(command(t), append([]string{"tester", "--no-open"}, args...)...)
	p.cmd.Env = append(os.Environ(), "TMPDIR="+p.Folder, "XDG_CACHE_HOME="+t.TempDir())
	p.cmd.Stderr = p.errors
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(p.End)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, p.errors)
	p.Link = strings.TrimSpace(line)
	return p
}

// End ends the program as Ctrl-C does.
func (p *program) End() {
	p.ended.Do(func() {
		p.cmd.Process.Signal(os.Interrupt)
		p.cmd.Wait()
	})
}

// run returns what the command writes to standard output.
func run(t testing.TB, args ...string) string {
	var out, problems bytes.Buffer
	cmd := exec.Command(command(t), args...)
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	if _, failed := err.(*exec.ExitError); failed { // the status tells of verdicts and findings
		require.Less(t, cmd.ProcessState.ExitCode(), 4, "%s %s", args, problems.String())
		require.NotEqual(t, 2, cmd.ProcessState.ExitCode(), "%s %s", args, problems.String())
		return out.String()
	}
	require.NoError(t, err)
	return out.String()
}

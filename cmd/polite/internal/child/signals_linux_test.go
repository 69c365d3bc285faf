package child

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A process is a runner as a process of its own, whose command has begun.
type process struct {
	*exec.Cmd
	out   *bufio.Reader
	child int // the id of the command
}

// begin begins a runner. Its line is run after the command has told its id.
func begin(t *testing.T, line string, wrapper ...string) *process {
	p := prepare(t, line, wrapper...)
	p.begin(t)
	return p
}

func prepare(t *testing.T, line string, wrapper ...string) *process {
	self, err := os.Executable()
	require.NoError(t, err)
	args := append(wrapper, self)
	p := &process{Cmd: exec.CommandContext(t.Context(), args[0], args[1:]...)}
	p.Env = append(os.Environ(), asRunner+"=echo $$; "+line, "TMPDIR="+t.TempDir()) // what is killed leaves its folder
	p.SysProcAttr = &syscall.SysProcAttr{Setsid: true}                              // no terminal of who runs the test
	return p
}

func (p *process) begin(t *testing.T) {
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	p.out = bufio.NewReader(out)
	p.child, err = strconv.Atoi(p.line(t))
	require.NoError(t, err)
}

func (p *process) line(t *testing.T) string {
	line, err := p.out.ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line)
}

// end returns the exit status.
func (p *process) end() int {
	p.Wait()
	return p.ProcessState.ExitCode()
}

// long is a command that tells the signals that it gets, and ends with the second.
const long = "n=0; note() { echo $1; n=$((n+1)); }; for s in HUP INT QUIT TERM USR1 USR2; do trap \"note $s\" $s; done; echo ready; " +
	"while [ $n -lt 2 ]; do sleep 0.05; done; exit 9"

// needsInterrupts skips the test where SIGINT is ignored, as it is for what a script runs in the background.
func needsInterrupts(t *testing.T) {
	if signal.Ignored(syscall.SIGINT) {
		t.Skip("SIGINT is ignored here")
	}
}

// A command gets the signals that its runner gets, and decides what they mean.
func TestSignals(t *testing.T) {
	needsInterrupts(t)
	for _, isolate := range []string{"", "1"} {
		t.Setenv("POLITE_TEST_ISOLATE", isolate)
		if isolate != "" {
			isolated(t, "true")
		}
		testSignals(t)
	}
}

func testSignals(t *testing.T) {
	p := begin(t, long)
	require.Equal(t, "ready", p.line(t))
	for _, one := range []struct {
		signal syscall.Signal
		name   string
	}{{syscall.SIGINT, "INT"}, {syscall.SIGTERM, "TERM"}} {
		require.NoError(t, p.Process.Signal(one.signal))
		assert.Equal(t, one.name, p.line(t))
	}
	assert.Equal(t, 9, p.end())
}

// What nohup has a runner ignore, it does not pass on.
func TestIgnoredSignals(t *testing.T) {
	p := begin(t, "echo ready; read none; trap 'echo TERM; exit 4' TERM; while :; do sleep 0.05; done", "nohup")
	require.Equal(t, "ready", p.line(t))
	require.NoError(t, p.Process.Signal(syscall.SIGHUP))
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	status := p.end()
	assert.Contains(t, []int{4, 143}, status, "SIGTERM has ended it, SIGHUP has not")
}

// A command does not outlive its runner, even if that is killed.
func TestKilledRunner(t *testing.T) {
	for _, isolate := range []string{"", "1"} {
		t.Setenv("POLITE_TEST_ISOLATE", isolate)
		if isolate != "" {
			isolated(t, "true")
		}
		p := begin(t, "echo ready; exec sleep 100")
		require.Equal(t, "ready", p.line(t))
		require.NoError(t, p.Process.Kill())
		p.end()
		assert.Eventually(t, func() bool { return gone(p.child) }, 20*time.Second, 10*time.Millisecond)
	}
}

// Ctrl-C reaches a command once: from the terminal, and not from its runner, too.
func TestKeysOfTerminal(t *testing.T) {
	needsInterrupts(t)
	self, err := os.Executable()
	require.NoError(t, err)
	keys, terminal := openTerminal(t)
	p := prepare(t, asRunner+"= "+asCounter+"=1 exec "+self)
	p.Stdin = terminal
	p.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	p.begin(t)
	require.Equal(t, "ready", p.line(t))
	for range 2 {
		_, err := keys.Write([]byte{3})
		require.NoError(t, err)
		assert.Equal(t, "INT", p.line(t))
	}
	require.NoError(t, p.Process.Signal(syscall.SIGTERM)) // which is passed on after all else
	rest, err := io.ReadAll(p.out)
	require.NoError(t, err)
	assert.Empty(t, string(rest))
	assert.Equal(t, 9, p.end())
}

// openTerminal returns the two sides of a terminal.
func openTerminal(t *testing.T) (keys, terminal *os.File) {
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	t.Cleanup(func() { keys.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { terminal.Close() })
	return keys, terminal
}

// gone reports whether a process has ended, also if nobody has asked for its status yet.
func gone(id int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	return err != nil || strings.Contains(string(text), ") Z ")
}

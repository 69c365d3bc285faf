package get

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// newTerminal returns a pseudoterminal, as the kernel has them, and what closes it and returns
// what was written to it.
func newTerminal(t *testing.T) (file *os.File, shown func() string) {
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	require.NoError(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	file, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	written := make(chan string, 1)
	go func() {
		defer screen.Close()
		text, _ := io.ReadAll(screen) // ends with an error when the other side is closed
		written <- strings.ReplaceAll(string(text), "\r\n", "\n")
	}()
	return file, sync.OnceValue(func() string {
		file.Close()
		return <-written
	})
}

// A slowPage comes in pieces, one each second.
type slowPage struct{ pieces []string }

func (s *slowPage) Read(p []byte) (int, error) {
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	time.Sleep(time.Second)
	n := copy(p, s.pieces[0])
	s.pieces = s.pieces[1:]
	return n, nil
}

// A page on the terminal itself is mixed with nothing, however long it takes.
func TestPageOnTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	screen, shown := newTerminal(t)
	synctest.Test(t, func(t *testing.T) {
		work := &report.Work{Line: terminal.ProgressOn(screen), Total: 2}
		g := getter{output: outputTo(screen, ""), report: report.Report{W: work.Line, Work: work}}
		end := work.Run(t.Context())
		time.Sleep(2 * time.Second)
		require.NoError(t, g.write(&slowPage{[]string{"one", " two", " three"}}, -1))
		end()
	})
	assert.Contains(t, shown(), "\r\x1b[Kone two three\n")
	assert.Contains(t, shown(), "\r0 of 2 ", "but before and after it")
}

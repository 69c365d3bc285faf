package command

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A tty is a terminal that remembers what was written to it.
type tty struct {
	file   *os.File // what a command has for a terminal
	screen *os.File // the other side
	closed chan struct{}

	mu    sync.Mutex
	more  *sync.Cond
	shown strings.Builder
}

// newTerminal returns a pseudoterminal, as the kernel has them.
func newTerminal(t *testing.T) *tty {
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	var unlocked, number uint32
	control(t, screen, syscall.TIOCSPTLCK, &unlocked)
	control(t, screen, syscall.TIOCGPTN, &number)
	file, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	s := &tty{file: file, screen: screen, closed: make(chan struct{})}
	s.more = sync.NewCond(&s.mu)
	go func() {
		defer close(s.closed)
		defer screen.Close()
		io.Copy(s, screen) // ends with an error when the other side is closed
	}()
	return s
}

func control[T any](t *testing.T, f *os.File, request uintptr, value *T) {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(value)))
	require.Zero(t, errno)
}

// resize gives the terminal another width.
func (t *tty) resize(test *testing.T, columns uint16) {
	control(test, t.file, syscall.TIOCSWINSZ, &[4]uint16{24, columns})
}

// Write notes what was written.
func (t *tty) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.more.Broadcast()
	return t.shown.Write(p)
}

// await returns when the terminal has shown a text. A test that waits in vain fails.
func (t *tty) await(test *testing.T, pattern string) {
	vain := false
	defer time.AfterFunc(20*time.Second, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		vain = true
		t.more.Broadcast()
	}).Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	for want := regexp.MustCompile(pattern); !want.MatchString(t.shown.String()); t.more.Wait() {
		require.False(test, vain, "%q", t.shown.String())
	}
}

// text returns all that was written. The terminal is closed then.
func (t *tty) text() string {
	t.file.Close()
	<-t.closed
	return strings.ReplaceAll(t.shown.String(), "\r\n", "\n")
}

func TestColours(t *testing.T) {
	for _, test := range []struct {
		name    string
		env     []string
		colours bool
	}{
		{"a terminal", []string{"TERM=xterm", "NO_COLOR="}, true},
		{"a narrow one", []string{"TERM=xterm", "NO_COLOR=", "COLUMNS=20"}, true},
		{"unknown kind", []string{"TERM=", "NO_COLOR="}, true},
		{"NO_COLOR", []string{"TERM=xterm", "NO_COLOR=1"}, false},
		{"a dumb terminal", []string{"TERM=dumb", "NO_COLOR="}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, variable := range test.env {
				name, value, _ := strings.Cut(variable, "=")
				t.Setenv(name, value)
			}
			for _, args := range [][]string{
				{"check", "-f", "testdata/shop.txt", "/private"},
				{"check", "-f", "testdata/shop.txt", "/private", "/"},
				{"check", "-f", "testdata/shop.txt", "-A", "a", "-A", "b", "/private"},
				{"lint", slips},
			} {
				shown := shownOn(t, 300, "", args...) // where no line is broken
				assert.Equal(t, test.colours, strings.Contains(shown, "\x1b[31m"), "%q", shown)

				plain := strings.NewReplacer("\x1b[31m", "", "\x1b[32m", "", "\x1b[33m", "", "\x1b[1m", "", "\x1b[2m", "", "\x1b[0m", "")
				assert.Equal(t, runCommand(t, args...).stdout, plain.Replace(shown), "the same but for colours")
			}
		})
	}
}

// A terminal gets no sequences but those of its colours.
func TestHostileTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	colours := regexp.MustCompile("\x1b\\[[0-9]+m")
	lines := strings.NewReplacer(terminal.EraseLine, "\n", "\r", "\n", "\x1b[K", "\n") // of what progress shows
	for name, text := range origintest.Hostile() {
		site := hostileSite(t, text).URL
		for _, args := range [][]string{
			{"check", site + "/x"}, {"check", "-v", site + "/x", site + "/y"}, {"check", site + "/x", site + "/y"}, {"check", "-A", "a", "-A", "b", site + "/x"},
			{"check", "--json", site + "/x"}, {"lint", site}, {"records", site}, {"records", "--sitemaps", site}, {"get", site + "/robots.txt?status"},
		} {
			screen := newTerminal(t)
			runTo(t.Context(), args, streams(strings.NewReader(""), screen.file, screen.file))
			assertHarmless(t, colours.ReplaceAllString(lines.Replace(screen.text()), ""), append(args, name))
		}
	}
}

// A page is shown on a terminal as text of whole lines, and goes anywhere else as it is.
func TestGetOnTerminal(t *testing.T) {
	const page = "<p>\r\n\té\u3000\x1b]0;title\a\x1b[2J\u202e\x9b\rx\n\xe3"
	const shown = "<p>\n\té\u3000\\x1b]0;title\\a\\x1b[2J\\u202e\\x9b\\rx\n\\xe3\n"
	s := newSite(t, http.NotFound, pages{"/page": origintest.Text(page)})
	assert.Equal(t, page, runHurried(t, "get", s.URL+"/page").stdout)

	screen := newTerminal(t)
	var stderr strings.Builder
	assert.Equal(t, 0, runTo(t.Context(), hurried(t, "get", s.URL+"/page", s.URL+"/page"), streams(nil, screen.file, &stderr)), stderr.String())
	assert.Equal(t, shown+shown, screen.text())

	screen = newTerminal(t)
	assert.Equal(t, 0, runTo(t.Context(), hurried(t, "get", "-o", screen.file.Name(), s.URL+"/page"), streams(nil, io.Discard, &stderr)), stderr.String())
	assert.Equal(t, shown, screen.text())
}

// Data has no colours, wherever it goes.
func TestNoColoursInData(t *testing.T) {
	for _, args := range [][]string{
		{"check", "--json", "-f", "testdata/shop.txt", "/private"}, {"lint", "--json", slips}, {"lint", "--sarif", slips},
		{"records", "--sitemaps", "testdata/shop.txt"}, {"records", "testdata/shop.txt"},
	} {
		screen := newTerminal(t)
		runTo(t.Context(), args, streams(nil, screen.file, io.Discard))
		assert.NotContains(t, screen.text(), "\x1b")
	}
}

// On a terminal nobody is kept waiting for what was not asked for.
func TestCheckOnTerminal(t *testing.T) {
	screen := newTerminal(t)
	var stderr strings.Builder
	assert.Equal(t, 2, runTo(t.Context(), []string{"check"}, streams(screen.file, io.Discard, &stderr)))
	assert.Contains(t, stderr.String(), "which URL?")
	screen.text()
}

// A terminal has a width, also if it does not know it.
func TestWidth(t *testing.T) {
	screen := newTerminal(t)
	defer screen.text()
	assert.True(t, terminal.Is(screen.file))
	assert.Equal(t, 80, terminal.Width(screen.file))
	screen.resize(t, 33)
	assert.Equal(t, 33, terminal.Width(screen.file))
}

// The null device is no terminal: it is a list without URLs.
func TestNullDevice(t *testing.T) {
	cmd := process(t, "check")
	cmd.Stdin = nil
	out, _ := cmd.CombinedOutput()
	require.NotNil(t, cmd.ProcessState)
	assert.Equal(t, 2, cmd.ProcessState.ExitCode())
	assert.Contains(t, string(out), "the list is empty")
}

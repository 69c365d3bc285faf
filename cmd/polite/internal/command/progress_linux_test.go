package command

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A halting is an answer that halts in its middle, until it may go on.
type halting struct {
	body string
	goOn chan struct{}
}

func halt(body string) halting { return halting{body, make(chan struct{})} }

func (h halting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "100000")
	io.WriteString(w, h.body[:len(h.body)/2])
	http.NewResponseController(w).Flush()
	select {
	case <-h.goOn:
		io.WriteString(w, h.body[len(h.body)/2:])
	case <-r.Context().Done():
	}
}

// began runs a command, and returns what waits for its exit status.
func began(t *testing.T, ctx context.Context, screen *tty, stdin io.Reader, stdout io.Writer, args ...string) (end func() int) {
	t.Setenv("TERM", "xterm")
	status := make(chan int)
	go func() { status <- runTo(ctx, args, streams(stdin, stdout, screen.file)) }()
	return func() int { return <-status }
}

// left returns the lines that a terminal shows in the end: of each, what follows the last
// time that it was removed.
func left(shown string) []string {
	var lines []string
	for line := range strings.SplitSeq(shown, "\n") {
		line = line[strings.LastIndexByte(line, '\r')+1:]
		lines = append(lines, strings.TrimPrefix(line, "\x1b[K"))
	}
	return lines
}

// A page that takes long is told of, wherever it goes but to the terminal.
func TestDownloadProgress(t *testing.T) {
	page := halt(strings.Repeat("x", 100_000))
	s := newSite(t, origintest.Text(""), pages{"/a": page.ServeHTTP})
	screen := newTerminal(t)
	file := filepath.Join(t.TempDir(), "page")
	end := began(t, t.Context(), screen, nil, io.Discard, "get", "-o", file, s.URL+"/a")
	screen.await(t, `50\.0 kB of 100 kB`)
	close(page.goOn)
	assert.Equal(t, 0, end())
	shown := screen.text()
	assert.Equal(t, []string{"allowed     200  " + s.URL + `/a  (robots.txt has no group for polite)`, ""}, left(shown), "%q", shown)
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, page.body, string(got))
}

// The line is gone when the command is interrupted.
func TestProgressInterrupted(t *testing.T) {
	page := halt(strings.Repeat("x", 100_000))
	s := newSite(t, origintest.Text(""), pages{"/a": page.ServeHTTP})
	screen := newTerminal(t)
	cmd := process(t, "get", s.URL+"/a", s.URL+"/b")
	cmd.Env = append(cmd.Env, "TERM=xterm")
	cmd.Stdout, cmd.Stderr = io.Discard, screen.file
	require.NoError(t, cmd.Start())
	screen.await(t, `0 of 2 done; page: 50\.0 kB`)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	shown := screen.text()
	lines := left(shown)
	require.Len(t, lines, 3, "%q", shown)
	assert.Regexp(t, `^failed      200  \S+/a  .*interrupt signal received$`, lines[0])
	assert.Regexp(t, `^polite get: 2 of 2 URLs were not fetched: interrupt signal received$`, lines[1])
	assert.Empty(t, lines[2])
}

// A slow robots.txt is told of, by all that ask for it.
func TestRobotsProgress(t *testing.T) {
	for _, line := range []string{"get SITE/a", "check SITE/a", "records SITE", "lint SITE"} {
		t.Run(line, func(t *testing.T) {
			robots := halt(strings.Repeat("#", 100_000))
			s := newSite(t, robots.ServeHTTP, nil)
			screen := newTerminal(t)
			end := began(t, t.Context(), screen, nil, io.Discard, strings.Fields(strings.ReplaceAll(line, "SITE", s.URL))...)
			screen.await(t, "\rasking "+s.URL)
			close(robots.goOn)
			end()
			assert.NotContains(t, strings.Join(left(screen.text()), "\n"), "asking")
		})
	}
}

// Of a list, the number is told, and which site it waits for. The verdicts are the same.
func TestCheckProgress(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	for _, where := range []string{"a file", "the terminal"} {
		t.Run(where, func(t *testing.T) {
			robots := halt(strings.Repeat("#", 100_000))
			s := newSite(t, robots.ServeHTTP, nil)
			urls := s.URL + "/a\n" + s.URL + "/b\n"
			screen := newTerminal(t)
			var file strings.Builder
			var stdout io.Writer = &file
			if where == "the terminal" {
				stdout = screen.file
			}
			end := began(t, t.Context(), screen, strings.NewReader(urls), stdout, "check")
			screen.await(t, "\r0 of 2 checked; asking "+s.URL)
			close(robots.goOn)
			assert.Equal(t, 0, end())
			lines := left(screen.text())
			if where == "a file" {
				assert.Equal(t, []string{"2 allowed, 0 disallowed", ""}, lines)
				lines = append(strings.Split(file.String(), "\n"), "")
			}
			require.Len(t, lines, 4)
			assert.Regexp(t, "^allowed      "+s.URL+"/a", lines[0])
			assert.Regexp(t, "^allowed      "+s.URL+"/b", lines[1])
			assert.Empty(t, lines[3])
		})
	}
}

// A site that has answered is not done before what became of it is printed.
func TestProgressIsOfWhatIsPrinted(t *testing.T) {
	for _, line := range []string{"records SLOW FAST", "lint SLOW FAST", "check SLOW/a FAST/a"} {
		t.Run(line, func(t *testing.T) {
			slow := halt(strings.Repeat("#", 100_000))
			fast := newSite(t, origintest.Text(""), nil)
			s := newSite(t, slow.ServeHTTP, nil)
			screen := newTerminal(t)
			screen.resize(t, 200)
			end := began(t, t.Context(), screen, nil, io.Discard, strings.Fields(strings.NewReplacer("SLOW", s.URL, "FAST", fast.URL).Replace(line))...)
			screen.await(t, "\r0 of 2 (done|checked); asking "+s.URL)
			require.NotEmpty(t, fast.Log())
			screen.resize(t, 20) // so that the line is written anew
			screen.await(t, "\r[01] of 2 (done|checked)[^\r]*\\.\\.\\.\x1b")
			close(slow.goOn)
			end()
			assert.NotContains(t, screen.text(), "1 of 2")
		})
	}
}

// That a request waits is told until it does not.
func TestWaitProgress(t *testing.T) {
	s := newSite(t, origintest.Text("user-agent: *\ncrawl-delay: 20\n"), nil)
	ctx, leave := context.WithCancel(t.Context())
	screen := newTerminal(t)
	screen.resize(t, 200)
	end := began(t, ctx, screen, nil, io.Discard, "get", s.URL+"/a", s.URL+"/b")
	screen.await(t, "\r1 of 2 done; waiting 1\\d?s for "+s.URL+": crawl-delay of 20s")
	leave()
	assert.Equal(t, 1, end())
	assert.NotContains(t, strings.Join(left(screen.text()), "\n"), "waiting")
}

// The line is never as wide as the terminal, whose width may change.
func TestProgressWidth(t *testing.T) {
	page := halt(strings.Repeat("x", 100_000))
	s := newSite(t, origintest.Text(""), pages{"/a": page.ServeHTTP})
	screen := newTerminal(t)
	screen.resize(t, 17)
	end := began(t, t.Context(), screen, nil, io.Discard, "get", s.URL+"/a")
	screen.await(t, "\r50\\.0 kB of 10\\.\\.\\.\x1b")
	screen.resize(t, 11)
	screen.await(t, "\r50\\.0 kB\\.\\.\\.\x1b")
	screen.resize(t, 0) // unknown
	screen.await(t, "\r50\\.0 kB of 100 kB\x1b")
	close(page.goOn)
	assert.Equal(t, 0, end())
	screen.text()
}

// Nothing is shown of what is quick, or on what erases no line.
func TestNoProgress(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{"/a": origintest.Text("page")})
	for _, test := range []struct {
		term string
		args []string
	}{
		{"xterm", []string{"check", s.URL + "/a"}},
		{"xterm", []string{"check", "-f", "testdata/shop.txt", "/a", "/b"}},
		{"xterm", []string{"records", "--sitemaps", s.URL}},
		{"dumb", []string{"check", s.URL + "/a", s.URL + "/b"}},
	} {
		t.Setenv("TERM", test.term)
		for quick := false; !quick; { // a run that a busy machine has held up may show what it does
			screen, began := newTerminal(t), time.Now()
			runTo(t.Context(), test.args, streams(nil, io.Discard, screen.file))
			if quick = test.term == "dumb" || time.Since(began) < 500*time.Millisecond; quick {
				assert.Empty(t, screen.text(), test.args)
			}
		}
	}
}

// What a user types is not overwritten, however long the site takes.
func TestNoProgressOverInput(t *testing.T) {
	robots := halt(strings.Repeat("#", 100_000))
	s := newSite(t, robots.ServeHTTP, nil)
	typing, other := newTerminal(t), newTerminal(t)
	end := began(t, t.Context(), typing, typing.file, io.Discard, "check", "--no-cache", "-")
	_, err := io.WriteString(typing.screen, s.URL+"/a\n\x04")
	require.NoError(t, err)
	typing.await(t, s.URL)
	endOther := began(t, t.Context(), other, strings.NewReader(s.URL+"/a\n"), io.Discard, "check", "--no-cache")
	other.await(t, "asking "+s.URL)
	close(robots.goOn)
	assert.Equal(t, 0, end())
	assert.Equal(t, 0, endOther())
	assert.NotContains(t, typing.text(), "checked")
	other.text()
}

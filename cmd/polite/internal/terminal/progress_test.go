package terminal

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onTerminal returns a Progress that takes w for a terminal.
func onTerminal(w io.Writer) *Progress { return &Progress{w: w, shows: true} }

// A recorder remembers what is written by several goroutines.
type recorder struct {
	mu      sync.Mutex
	written strings.Builder
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.written.Write(p)
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.written.String()
}

// seen returns the lines that a terminal shows after all that was written to it.
func seen(written string) string {
	var lines []string
	for line := range strings.SplitSeq(written, "\n") {
		shown := ""
		for part := range strings.SplitSeq(line, "\r") {
			text, erased := strings.CutSuffix(part, eraseRest)
			text = strings.TrimPrefix(text, eraseRest) // of EraseLine, before other text
			if erased || strings.HasPrefix(part, eraseRest) || len(text) >= len(shown) {
				shown = text
			} else {
				shown = text + shown[len(text):]
			}
		}
		lines = append(lines, shown)
	}
	return strings.Join(lines, "\n")
}

// A line is shown anew ten times a second at most, if it has changed, and nothing is left
// of it.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w recorder
		n := 0
		end := onTerminal(&w).Run(t.Context(), func() string {
			n++
			return fmt.Sprint(n / 5)
		})
		time.Sleep(period / 2)
		synctest.Wait()
		assert.Empty(t, w.String(), "nothing yet")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, "\r0\x1b[K\r1\x1b[K\r2\x1b[K", w.String())
		end()
		end()
		assert.Empty(t, seen(w.String()))
		asked := n
		time.Sleep(time.Second)
		assert.Equal(t, asked, n, "it has ended")
	})
}

// When a command is interrupted, the line is gone at once.
func TestProgressInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w recorder
		ctx, interrupt := context.WithCancel(t.Context())
		end := onTerminal(&w).Run(ctx, func() string { return "far" })
		time.Sleep(time.Second)
		interrupt()
		synctest.Wait()
		assert.Empty(t, seen(w.String()))
		end()
	})
}

// Other text takes the place of the line, which moves on.
func TestProgressMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w recorder
		p := onTerminal(&w)
		var line atomic.Value
		line.Store("a long line")
		end := p.Run(t.Context(), func() string { return line.Load().(string) })
		fmt.Fprintln(p, "first")
		time.Sleep(time.Second)
		synctest.Wait()
		fmt.Fprintln(p, "second")
		assert.Equal(t, "first\nsecond\na long line", seen(w.String()))

		beside{p, &w}.Write([]byte("third\n"))
		assert.Equal(t, "first\nsecond\nthird\na long line", seen(w.String()))

		show := p.Hide()
		line.Store("another")
		time.Sleep(time.Second)
		synctest.Wait()
		io.WriteString(&w, "fourth\n")
		fmt.Fprintln(p, "fifth")
		assert.Equal(t, "first\nsecond\nthird\nfourth\nfifth\n", seen(w.String()))
		show()
		assert.Equal(t, "first\nsecond\nthird\nfourth\nfifth\nanother", seen(w.String()))
		end()
		assert.Equal(t, "first\nsecond\nthird\nfourth\nfifth\n", seen(w.String()))
	})
}

// What is no terminal gets the text alone.
func TestProgressElsewhere(t *testing.T) {
	var w recorder
	p := ProgressOn(&w)
	assert.False(t, p.Shows())
	end := p.Run(t.Context(), func() string { panic("asked") })
	fmt.Fprintln(p, "text")
	p.Hide()()
	end()
	assert.Equal(t, "text\n", w.String())
	assert.Same(t, &w, p.Beside(&w))
}

// An error of the terminal is the error of who writes text.
func TestProgressFails(t *testing.T) {
	reader, closed := io.Pipe()
	reader.Close()
	p := onTerminal(closed)
	p.show("line")
	_, err := fmt.Fprintln(p, "text")
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

func TestFit(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 0, ""},
		{"12345", 5, "12345"},
		{"123456", 5, "12..."},
		{"123456", 3, "..."},
		{"123456", 2, ".."},
		{"123456", 0, ""},
		{"123456", -1, ""},
		{"ツツ", 4, "ツツ"},
		{"ツツツ", 5, "ツ..."},
		{"ツツツ", 4, "..."},
		{"aツbツc", 6, "aツ..."},
	} {
		assert.Equal(t, test.want, fit(test.text, test.width), "%q in %d", test.text, test.width)
	}
}

// No text is wider than it may be, and what fits stays.
func FuzzFit(f *testing.F) {
	f.Add("1 of 3 done; asking https://ツ.example", 12)
	f.Fuzz(func(t *testing.T, text string, width int) {
		got := fit(text, width)
		assert.LessOrEqual(t, Cells(got), max(width, 0))
		if Cells(text) <= width {
			assert.Equal(t, text, got)
		}
	})
}

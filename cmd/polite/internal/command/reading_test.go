package command

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Sites are asked while one is slow, the order is that of the URLs, and the exit status is that of the first.
func TestSlowSite(t *testing.T) {
	quick := shopSite(t)
	over := make(chan struct{})
	slow := newSite(t, origintest.Hang, nil)
	defer close(over)
	began := time.Now()
	got := runCommand(t, "check", "--max-time", "1.5", slow.URL+"/a", quick.URL+"/private/x", slow.URL+"/b", quick.URL+"/a")
	assert.Equal(t, 4, got.status)
	assert.Less(t, time.Since(began), 20*time.Second, "than the 30 seconds without --max-time")
	assert.Regexp(t, `(?s)^unreachable +`+slow.URL+`/a .*disallowed +`+quick.URL+`/private/x .*unreachable +`+slow.URL+`/b .*allowed +`+quick.URL+`/a `, got.stdout)

	for _, command := range []string{"lint", "records"} {
		got := runCommand(t, command, "--max-time=0.1", slow.URL, quick.URL)
		assert.Equal(t, 4, got.status, command)
		assert.Contains(t, got.stderr, "could not be fetched", command)
	}
}

// All cells of CSV are text, whatever a file has.
func TestHostileCSV(t *testing.T) {
	for name, text := range origintest.Hostile() {
		file := filepath.Join(t.TempDir(), "robots.txt")
		require.NoError(t, os.WriteFile(file, []byte(hostileFile(text)+hostileFile("=1+1")), 0o600))
		got := runWithInput(t, hostileFile(text)+"\n=cmd|x\n@x\n+1\n", "check", "--csv", "-f", file, "-A", "a", "-A", "b")
		assertHarmless(t, got.stdout, []string{name})
		rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
		require.NoError(t, err)
		require.Greater(t, len(rows), 3)
		for _, row := range rows {
			for _, cell := range row {
				assert.NotRegexp(t, `^[=+@-]`, cell)
			}
		}
	}
}

// A file of 500 KiB that is one line, or all findings, is shown all the same.
func TestLintLargeFile(t *testing.T) {
	for _, body := range []string{
		"user-agent: *\ndisallow: x" + strings.Repeat("\u202e*", 100_000),
		"user-agent: *\n" + strings.Repeat("disallow: \x1b[2Jx\n", 30_000),
		strings.Repeat("日本語", 50_000),
	} {
		got := runWithInput(t, body, "lint", "-")
		assertHarmless(t, got.stdout, []string{"lint"})
		assert.Less(t, len(got.stdout), 100_000)
	}
}

// The memory that a list takes does not grow with it: at most some 1,000 URLs wait, which take 20 MB here.
func TestLongList(t *testing.T) {
	before, peak := inUse(), uint64(0)
	r, w := io.Pipe()
	go func() {
		for i := range 12_000 {
			if i%4_000 == 3_999 {
				peak = max(peak, inUse())
			}
			fmt.Fprintf(w, "/page/%d%s\n", i, strings.Repeat("x", 5000))
		}
		w.Close()
	}()
	args := []string{"check", "-f", "testdata/shop.txt", "-A", "a", "-A", "b", "-A", "c"}
	assert.Equal(t, 0, runTo(t.Context(), args, streams(r, io.Discard, io.Discard)))
	t.Log((int64(peak)-int64(before))>>10, "KiB")
	assert.Less(t, peak, before+40<<20, "of a list of 60 MB")
}

// inUse returns how many octets are in use.
func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// What is no text is told, and not passed over in silence.
func TestOtherFormats(t *testing.T) {
	for body, want := range map[string]string{
		"\xFF\xFEu\x00s\x00":     "stdin is UTF-16, in which crawlers find nothing",
		"<!DOCTYPE html>\n<p>":   "stdin is a web page, in which crawlers find nothing",
		"\x1F\x8B\b\x00x":        "stdin is compressed (gzip), in which crawlers find nothing",
		"user-agent: *\nallow: ": "",
	} {
		got := runWithInput(t, body, "records", "-")
		told, _, _ := strings.Cut(strings.TrimPrefix(got.stderr, "polite records: "), ":")
		assert.Equal(t, want, told)
	}
	assert.Contains(t, runWithInput(t, "\x1F\x8B\b\x00x", "lint", "-").stdout, "[compressed]")
	assert.Contains(t, runWithInput(t, "\x1F\x8B\b\x00x", "check", "-v", "-f", "-", "/x").stdout, "it is compressed (gzip)")
}

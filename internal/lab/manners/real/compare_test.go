package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A crawl ends with its time, or before with its last page.
func TestReadLog(t *testing.T) {
	const lines = "127.0.0.2 80 200 1.0 0.5\n" +
		"127.0.0.2 80 503 1.5 0.0\n" +
		"127.0.0.2 80 499 2.0 0.5\n" + // the client has left
		"127.0.0.2 80 200 4.5 0.2\n" +
		"127.0.0.2 80 503 6.0 0.0\n"
	name := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(name, []byte(lines), 0o600))
	half := 500 * time.Millisecond
	for _, tt := range []struct {
		end  end
		want result
	}{
		{end{long: time.Minute}, result{good: 2, bad: 2, took: time.Minute, longest: half}},
		{end{long: 2 * time.Second}, result{good: 1, bad: 1, took: 2 * time.Second, longest: half}},
		{end{long: time.Minute, pages: 2}, result{good: 2, bad: 1, took: 4 * time.Second, longest: half}},
		{end{long: time.Minute, pages: 1}, result{good: 1, took: half, longest: half}},
	} {
		counts, err := readLog(name, tt.end)
		require.NoError(t, err)
		assert.Equal(t, tt.want, counts[place{"127.0.0.2", 80}].result, "%v", tt.end)
	}
}

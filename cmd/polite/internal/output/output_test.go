package output

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write writes a page.
func write(t *testing.T, o *Output, page string) {
	require.NoError(t, o.Begin(nil))
	_, err := io.WriteString(o, page)
	require.NoError(t, err)
	require.NoError(t, o.End())
}

func TestStream(t *testing.T) {
	var w strings.Builder
	o := To(&w, "")
	write(t, o, "a")
	write(t, o, "b")
	assert.NoError(t, o.Close())
	assert.Equal(t, "ab", w.String())
}

// The file is created for the first page.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page")
	o := To(io.Discard, name)
	assert.NoFileExists(t, name)
	write(t, o, "a")
	write(t, o, "b")
	require.NoError(t, o.Close())
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "ab", string(got))

	unused := filepath.Join(t.TempDir(), "page")
	assert.NoError(t, To(io.Discard, unused).Close())
	assert.NoFileExists(t, unused)
}

// After an error, nothing more can be written.
func TestErr(t *testing.T) {
	o := To(io.Discard, t.TempDir())
	assert.NoError(t, o.Err())
	err := o.Begin(nil)
	require.Error(t, err)
	assert.Equal(t, err, o.Err())

	reader, closed := io.Pipe()
	reader.Close()
	o = To(closed, "")
	_, err = o.Write([]byte("a"))
	require.Error(t, err)
	assert.Equal(t, err, o.Err())
	assert.Equal(t, err, o.End())
}

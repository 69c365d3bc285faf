package pagecache

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A page that cannot get its name leaves nothing, and this is told. A folder that another process has cleared
// meanwhile is no failure.
func TestNoName(t *testing.T) {
	h := head{key: key{"bot", "https://a.example /"}}
	for name, test := range map[string]struct {
		spoil func(f *Folder) error
		told  int
	}{
		"kept":    {func(*Folder) error { return nil }, 0},
		"no name": {func(f *Folder) error { return os.Mkdir(f.path(h.key), 0o700) }, 1},
		"cleared": {func(f *Folder) error { return os.RemoveAll(f.Name) }, 0},
	} {
		told := 0
		f := &Folder{Name: t.TempDir(), Failed: func(error) { told++ }}
		body := f.record(io.NopCloser(strings.NewReader("page")), h, 4)
		require.NoError(t, test.spoil(f))
		text, err := io.ReadAll(body)
		require.NoError(t, err)
		require.NoError(t, body.Close())
		assert.Equal(t, "page", string(text))
		assert.Equal(t, test.told, told, name)
		parts, err := filepath.Glob(filepath.Join(f.Name, "*"+unfinished))
		require.NoError(t, err)
		assert.Empty(t, parts, name)
	}
}

// Only in HTTP/1 without a length, chunks or compression nobody knows whether a body is whole.
func TestEndIsKnown(t *testing.T) {
	for want, all := range map[bool][]http.Response{
		true:  {{ContentLength: 0}, {ContentLength: -1, TransferEncoding: []string{"chunked"}}, {ContentLength: -1, ProtoMajor: 2}, {ContentLength: -1, ProtoMajor: 1, Uncompressed: true}},
		false: {{ContentLength: -1, ProtoMajor: 1}},
	} {
		for _, resp := range all {
			assert.Equal(t, want, endIsKnown(&resp))
		}
	}
}

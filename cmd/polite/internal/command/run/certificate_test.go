package run

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newCertificate returns the certificate of a proxy.
func newCertificate(t *testing.T) []byte {
	p, err := proxy.New(proxy.Options{Transport: new(polite.Transport), Admit: proxy.Anyone})
	require.NoError(t, err)
	return p.CA()
}

// A certificate is there until its proxy ends, for everybody to read.
func TestWrite(t *testing.T) {
	name, certificate := filepath.Join(t.TempDir(), "ca.pem"), newCertificate(t)
	remove, err := writeCertificate(name, certificate)
	require.NoError(t, err)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, certificate, text)
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode())
	remove()
	found, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	assert.Empty(t, found)
}

// What another proxy has left is replaced, and its end does not remove ours.
func TestWriteAfterAnother(t *testing.T) {
	name, first, second := filepath.Join(t.TempDir(), "ca.pem"), newCertificate(t), newCertificate(t)
	removeFirst, err := writeCertificate(name, first)
	require.NoError(t, err)
	_, err = writeCertificate(name, second)
	require.NoError(t, err)
	removeFirst()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, second, text)
}

// No file of the user is replaced: neither another text, nor other certificates, nor what a
// link leads to.
func TestWriteReplacesNothing(t *testing.T) {
	folder, certificate := t.TempDir(), newCertificate(t)
	write := func(name string, text []byte) string {
		name = filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(name, text, 0o600))
		return name
	}
	link := filepath.Join(folder, "link")
	require.NoError(t, os.Symlink(write("target", certificate), link))
	for _, name := range []string{
		write("empty", nil), write("text", []byte("precious")), write("two", append(certificate, certificate...)),
		write("broken", certificate[:100]), link, folder,
	} {
		_, err := writeCertificate(name, certificate)
		assert.ErrorContains(t, err, "name one that does not exist", name)
	}
	found, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, found, 6)
}

package proxy

import (
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A certificate is for the host that is named, however it is spelled, and no host has no name or a name
// that DNS does not have.
func TestLeaf(t *testing.T) {
	a, err := newAuthority(time.Hour)
	require.NoError(t, err)
	made, err := a.leaf("FIRST.test.")
	require.NoError(t, err)
	read, err := x509.ParseCertificate(made.Certificate[0])
	require.NoError(t, err)
	assert.NoError(t, read.VerifyHostname("first.test"))
	for _, host := range []string{"", ".", strings.Repeat("a", 300)} {
		_, err := a.leaf(host)
		assert.Error(t, err)
	}
}

package proxy

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A certificate is for the host that is named, however it is spelled, and no host has no name or a name
// that DNS or a certificate does not have.
func TestLeaf(t *testing.T) {
	a, err := newAuthority(time.Hour)
	require.NoError(t, err)
	made, err := a.leaf("FIRST.test.")
	require.NoError(t, err)
	read, err := x509.ParseCertificate(made.Certificate[0])
	require.NoError(t, err)
	assert.NoError(t, read.VerifyHostname("first.test"))
	longest := strings.Repeat("a.", 126) + "a"
	_, err = a.leaf(longest)
	assert.NoError(t, err)
	for _, host := range []string{"", ".", longest + "a", "é.test"} {
		_, err := a.leaf(host)
		assert.Error(t, err)
	}
}

// An answer that has come is handed on, also if the program hangs up now: who gets it closes it.
func TestSenderKeepsAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, failed := range []error{nil, errors.New("reset")} {
		base := origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			return origintest.Response(req, http.StatusOK, ""), failed
		})
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://shop.test/", nil)
		require.NoError(t, err)
		_, err = sender{base}.RoundTrip(req)
		assert.Equal(t, failed != nil, errors.Is(err, errGone))
		assert.Equal(t, failed == nil, err == nil)
	}
}

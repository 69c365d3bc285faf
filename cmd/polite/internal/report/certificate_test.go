package report

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A wrong certificate is told in a few words, however many names it has.
func TestCertificate(t *testing.T) {
	site := httptest.NewTLSServer(http.NotFoundHandler())
	defer site.Close()
	roots := x509.NewCertPool()
	roots.AddCert(site.Certificate())
	for want, config := range map[string]*tls.Config{
		"its certificate is not for elsewhere.test":                             {RootCAs: roots, ServerName: "elsewhere.test"},
		"its certificate is from an authority that this machine does not trust": {RootCAs: x509.NewCertPool()},
		"its certificate has expired, or is not valid yet":                      {RootCAs: roots, Time: func() time.Time { return time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) }},
	} {
		transport := &polite.Transport{UserAgent: "ExampleBot", Base: &http.Transport{TLSClientConfig: config}}
		req, err := http.NewRequest(http.MethodGet, site.URL, nil)
		require.NoError(t, err)
		d, err := transport.Check(t.Context(), req.URL)
		require.NoError(t, err)
		assert.Equal(t, want, fetchError(d.Err))
	}
	assert.Empty(t, certificate(errors.New("x")))
	assert.Equal(t, "its certificate is not for a.test", fetchError(fmt.Errorf("tls: %w", x509.HostnameError{Certificate: site.Certificate(), Host: "a.test"})))
}

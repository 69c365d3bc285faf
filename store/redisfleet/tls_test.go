package redisfleet_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An authority signs certificates for a test.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	dir  string
}

func newAuthority(t *testing.T) *authority {
	a := &authority{dir: t.TempDir()}
	a.key, a.cert = a.sign(t, "ca", "", true)
	return a
}

// sign writes the files of a certificate for a host.
func (a *authority) sign(t *testing.T, file, host string, ca bool) (*ecdsa.PrivateKey, *x509.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: file},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: ca, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else if host != "" {
		template.DNSNames = []string{host}
	}
	parent, parentKey := a.cert, a.key
	if parent == nil {
		parent, parentKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	a.write(t, file+".crt", "CERTIFICATE", der)
	a.write(t, file+".key", "PRIVATE KEY", keyDER)
	return key, cert
}

func (a *authority) write(t *testing.T, file, kind string, der []byte) {
	require.NoError(t, os.WriteFile(a.path(file), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

func (a *authority) path(file string) string { return filepath.Join(a.dir, file) }

// startTLS starts a server that speaks TLS at one more port, and returns its address.
func (a *authority) startTLS(t *testing.T, clients string) (address string) {
	a.sign(t, "server", "127.0.0.1", false)
	port := network.FreePort(t)
	startServer(t, "--tls-port", port, "--tls-auth-clients", clients, "--requirepass", "secret",
		"--tls-ca-cert-file", a.path("ca.crt"), "--tls-cert-file", a.path("server.crt"), "--tls-key-file", a.path("server.key"))
	return "127.0.0.1:" + port
}

func (a *authority) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

func TestTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	address := a.startTLS(t, "no")
	trusting := &tls.Config{RootCAs: a.roots()}
	works(t, open(t, "rediss://:secret@"+address, redisfleet.Options{TLS: trusting}))
	works(t, open(t, "redis://:secret@"+address+"/1", redisfleet.Options{TLS: trusting}))
	works(t, open(t, "rediss://:secret@"+address+"/2?skip_verify=true", redisfleet.Options{}))
	for _, test := range []struct {
		name, url string
		config    *tls.Config
		want      string
	}{
		{"a stranger signed it", "rediss://:secret@" + address, nil, "set RootCAs in Options.TLS"},
		{"another host", "rediss://:secret@" + address, &tls.Config{RootCAs: a.roots(), ServerName: "example.org"}, "set ServerName in Options.TLS"},
		{"a server without TLS", "rediss://:secret@" + startDouble(t).Addr(), nil, "begin the URL with redis://"},
		{"a server with TLS", "redis://:secret@" + address, nil, "begin the URL with rediss://"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := redisfleet.Open(ctx, test.url, redisfleet.Options{Prefix: "test", TLS: test.config})
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

func TestTLSWithCertificatesOfClients(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	address := a.startTLS(t, "yes")
	a.sign(t, "client", "", false)
	cert, err := tls.LoadX509KeyPair(a.path("client.crt"), a.path("client.key"))
	require.NoError(t, err)
	works(t, open(t, "rediss://:secret@"+address, redisfleet.Options{TLS: &tls.Config{RootCAs: a.roots(), Certificates: []tls.Certificate{cert}}}))
	_, err = redisfleet.Open(t.Context(), "rediss://:secret@"+address, redisfleet.Options{Prefix: "test", TLS: &tls.Config{RootCAs: a.roots()}})
	require.ErrorContains(t, err, "certificate of its clients")
}

package integration

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/quic-go/testutils/simnet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// HTTP/3 keeps the gap between what it writes, since quic-go calls GotConn: also if one request
// has to connect, and the next has not. Without GotConn, the second is too early by the time of a
// handshake.
func TestHTTP3(t *testing.T) {
	base := func(h3 http.RoundTripper) http.RoundTripper { return h3 }
	assert.Equal(t, []time.Duration{2 * time.Second, 2 * time.Second}, http3Gaps(t, base))
	silent := func(h3 http.RoundTripper) http.RoundTripper {
		return origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			return h3.RoundTrip(req.WithContext(context.Background()))
		})
	}
	assert.Less(t, slices.Min(http3Gaps(t, silent)), 2*time.Second, "or nobody needs to call GotConn")
}

// http3Gaps fetches three pages at once, each as soon as it may, and returns the gaps with which
// they arrive.
func http3Gaps(t *testing.T, base func(http.RoundTripper) http.RoundTripper) (gaps []time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text(slow))
		h3 := newHTTP3(t, web)
		transport := wrap(base(h3)).(*polite.Transport)
		_, err := transport.Check(t.Context(), &url.URL{Scheme: "https", Host: "example.com", Path: "/"})
		require.NoError(t, err)
		client := through(&http.Client{Transport: transport})
		h3.CloseIdleConnections()
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				_, err := client(t.Context(), fmt.Sprint("https://example.com/", i))
				assert.NoError(t, err)
			})
		}
		all.Wait()
		log := web.Log().Pages()
		require.Len(t, log, 3)
		for i := range 2 {
			gaps = append(gaps, log[i+1].Time.Sub(log[i].Time))
		}
	})
	return gaps
}

// newHTTP3 returns a transport by HTTP/3 to web, on a network without sockets. All takes time
// there.
func newHTTP3(t *testing.T, web http.Handler) *http3.Transport {
	network, far := &simnet.Simnet{Router: &simnet.PerfectRouter{}}, simnet.NodeBiDiLinkSettings{Latency: 50 * time.Millisecond}
	here, there := &net.UDPAddr{IP: net.IPv4(1, 0, 0, 1), Port: 9001}, &net.UDPAddr{IP: net.IPv4(1, 0, 0, 2), Port: 443}
	near, remote := network.NewEndpoint(here, far), network.NewEndpoint(there, far)
	require.NoError(t, network.Start())
	server := &http3.Server{Handler: web, TLSConfig: http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{newCertificate(t)}})}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(remote) })
	dialer := &quic.Transport{Conn: near}
	transport := &http3.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		Dial: func(ctx context.Context, _ string, secure *tls.Config, config *quic.Config) (*quic.Conn, error) {
			return dialer.Dial(ctx, there, secure, config)
		},
	}
	t.Cleanup(func() {
		transport.Close()
		dialer.Close()
		server.Close()
		near.Close()
		remote.Close()
		network.Close()
		serving.Wait()
	})
	return transport
}

func newCertificate(t *testing.T) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), DNSNames: []string{"example.com"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

package proxy_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/cmd/polite/internal/upstream"
	"github.com/stretchr/testify/require"
)

// BenchmarkRequest compares requests through the proxy with direct ones, for a small page and
// a large one.
func BenchmarkRequest(b *testing.B) {
	large := bytes.Repeat([]byte("a page\n"), 10<<20/7)
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			w.Write(large)
		case "/robots.txt":
			http.NotFound(w, r)
		default:
			io.WriteString(w, "a page\n")
		}
	}))
	b.Cleanup(site.Close)
	w := newWorld(b, func(transport *polite.Transport, o *proxy.Options) {
		base := upstream.Straight().Transport(true)
		base.TLSClientConfig = site.Client().Transport.(*http.Transport).TLSClientConfig
		b.Cleanup(base.CloseIdleConnections)
		transport.Base = base
	})
	roots := x509.NewCertPool()
	roots.AddCert(site.Certificate())
	roots.AddCert(w.proxy.Certificate())
	for name, through := range map[string]func(*http.Request) (*url.URL, error){
		"direct": nil, "proxy": http.ProxyURL(&url.URL{Scheme: "http", Host: w.address}),
	} {
		client := &http.Client{Transport: &http.Transport{
			Proxy: through, TLSClientConfig: &tls.Config{RootCAs: roots}, MaxIdleConnsPerHost: 64,
		}}
		b.Cleanup(client.CloseIdleConnections)
		fetch := func(b *testing.B, page string) {
			resp, err := client.Get(site.URL + page)
			require.NoError(b, err)
			defer resp.Body.Close()
			_, err = io.Copy(io.Discard, resp.Body)
			require.NoError(b, err)
		}
		b.Run("small/"+name, func(b *testing.B) {
			for b.Loop() {
				fetch(b, "/")
			}
		})
		b.Run("small/32/"+name, func(b *testing.B) {
			b.SetParallelism(16)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					fetch(b, "/")
				}
			})
		})
		b.Run("large/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(large)))
			for b.Loop() {
				fetch(b, "/large")
			}
		})
	}
}

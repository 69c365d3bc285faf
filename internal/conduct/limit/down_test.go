package limit

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A site that is down for two minutes gets at most 20 requests in them, beside those that were under way when it fell
// silent, and is found again within the length of the outage.
func TestMannersASiteThatIsDown(t *testing.T) {
	var refused atomic.Int64
	refusing := func(rt http.RoundTripper) http.RoundTripper {
		refused.Store(0)
		base, begun := rt.(*http.Transport), time.Now()
		base.DisableKeepAlives = true
		dial := base.DialContext
		base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if now := time.Since(begun); now >= conduct.DownFrom && now < conduct.DownTo {
				refused.Add(1)
				return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
			}
			return dial(ctx, network, address)
		}
		return base
	}
	impatient := func(base http.RoundTripper) http.RoundTripper {
		base.(*http.Transport).ResponseHeaderTimeout = 5 * time.Second
		return base
	}
	for _, tt := range []struct {
		name string
		down conduct.Reply
		base func(http.RoundTripper) http.RoundTripper
	}{
		{"refuses connections", judgedWell, refusing},
		{"answers 503", conduct.Reply{Status: http.StatusServiceUnavailable, Takes: judgedWell.Takes}, nil},
		{"is silent", conduct.Reply{Takes: time.Hour}, impatient},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range long.Or(1, 10) { // breaks have a random part
				site := func(now time.Duration, _ string) conduct.Reply {
					if now >= conduct.DownFrom && now < conduct.DownTo {
						return tt.down
					}
					return judgedWell
				}
				saw := judgedCrawl{site: site, base: tt.base, workers: 16, long: conduct.DownTo + 2*time.Minute}.run(t)
				asked := int(refused.Load()) + saw.between(conduct.DownFrom+judgedWell.Takes, conduct.DownTo)
				assert.LessOrEqual(t, asked, 20, "requests in two minutes")
				back := saw.between(conduct.DownTo, conduct.DownTo+2*time.Minute)
				t.Logf("%d requests while it was down, %d in the two minutes after", asked, back)
				assert.Positive(t, back, "back within the length of the outage")
				if refused.Load() > 0 {
					assert.Greater(t, saw.between(conduct.DownTo+time.Minute, conduct.DownTo+2*time.Minute), 120*16*9/10, "as quick as before: it teaches no rate")
				}
			}
		})
	}
}

// judgedWell is the answer of a site that is well.
var judgedWell = conduct.Reply{Takes: 500 * time.Millisecond}

// A site of which each request fails is asked little, whatever the error is.
func TestAnyErrorCounts(t *testing.T) {
	const good, most = 20, 60
	for name, fails := range map[string]error{
		"TLS alert":            &net.OpError{Op: "remote error", Err: tls.AlertError(80)},
		"no TLS":               tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"},
		"a certificate":        &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
		"no HTTP":              errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "x"`),
		"a broken pipe":        &net.OpError{Op: "write", Err: syscall.EPIPE},
		"no route":             &net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH},
		"a proxy":              errors.New("Service Unavailable"),
		"a lost connection":    errors.New("http2: client connection lost"),
		"no such host":         &net.DNSError{Err: "no such host", Name: "example.com", IsNotFound: true},
		"a resolver":           &net.DNSError{Err: "i/o timeout", Name: "example.com", IsTimeout: true},
		"an error of a Base":   errors.New("down"),
		"a reset, as ever":     &net.OpError{Op: "read", Err: syscall.ECONNRESET},
		"a deadline of a Base": context.DeadlineExceeded,
	} {
		for _, goroutines := range []int{1, 16} {
			t.Run(fmt.Sprint(name, " ", goroutines), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					web := origintest.NewInMemory(t)
					tr, asked := conduct.NewTransport(t, web), atomic.Int32{}
					tr.Pace = polite.Pace{}
					well := tr.Base
					tr.Base = origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
						if req.URL.Path == "/robots.txt" {
							return well.RoundTrip(req)
						}
						time.Sleep(10 * time.Millisecond)
						if asked.Add(1) > good {
							return nil, fails
						}
						return &http.Response{StatusCode: 200, Body: http.NoBody, Request: req}, nil
					})
					began, crawl := time.Now(), sync.WaitGroup{}
					for range goroutines {
						crawl.Go(func() {
							for n := 0; time.Since(began) < 2*time.Minute; n++ {
								if err := conduct.Visit(t.Context(), conduct.Client(tr), fmt.Sprint("http://example.com/", n)); errors.Is(err, polite.ErrRefused) {
									time.Sleep(time.Second)
								}
							}
						})
					}
					crawl.Wait()
					assert.LessOrEqual(t, asked.Load(), int32(good+most))
				})
			})
		}
	}
}

// One request at a time: what answers say counts all the same. After five refusals there is a break,
// in whatever form they come, and whatever the paths look like.
func TestSequentialCrawl(t *testing.T) {
	const good, bad, refusals = 60, 100, 7 // one more than a row: net/http asks twice where a kept connection ends
	for name, answer := range map[string]http.HandlerFunc{
		"403":    origintest.Status(http.StatusForbidden),
		"500":    origintest.Status(http.StatusInternalServerError),
		"502":    origintest.Status(http.StatusBadGateway),
		"503":    origintest.Status(http.StatusServiceUnavailable),
		"429":    origintest.Status(http.StatusTooManyRequests),
		"hangup": origintest.Reset,
	} {
		for _, path := range []string{"/docs/p%d", "/p%d", "/p?id=%d"} {
			t.Run(fmt.Sprint(name, " ", path), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					web := origintest.NewInMemory(t)
					for n := good; n < good+bad; n++ {
						web.Page("example.com", strings.Split(fmt.Sprintf(path, n), "?")[0], answer)
					}
					if strings.Contains(path, "?") {
						web.Page("example.com", "/p", origintest.Text("a page\n"))
					}
					client := conduct.Client(conduct.NewTransport(t, web))
					ask := func(n int) error {
						return conduct.Read(t.Context(), client, fmt.Sprintf("http://example.com"+path, n))
					}
					for n := range good {
						require.NoError(t, ask(n))
					}
					web.Page("example.com", "/p", answer)
					began := time.Now()
					for n := good; time.Since(began) < time.Second/2 && n < good+bad; n++ {
						ask(n)
						time.Sleep(20 * time.Millisecond)
					}
					assert.LessOrEqual(t, len(web.Log().Pages()), good+refusals)
				})
			})
		}
	}
}

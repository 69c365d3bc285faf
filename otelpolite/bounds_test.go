package otelpolite_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/otelpolite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
)

// hostile is a Base in which each site answers in its own way: with any status there is,
// with any text, or with an error of its own.
func hostile(req *http.Request) (*http.Response, error) {
	hash := fnv.New32()
	hash.Write([]byte(req.URL.Host))
	n := int(hash.Sum32())
	switch n % 10 {
	case 0:
		return nil, fmt.Errorf("%s is nobody's", req.URL.Host)
	case 1:
		return nil, &net.DNSError{Err: "no such host", Name: req.URL.Host, IsNotFound: true}
	case 2:
		return nil, &net.OpError{Op: req.URL.Host, Net: "tcp", Err: errors.New("refused by " + req.URL.Host)}
	}
	body := fmt.Sprintf("user-agent: *\ndisallow: /%d\n", n)
	return origintest.Response(req, 100+n/10%900, body, "Etag", fmt.Sprint(n), "Retry-After", "1"), nil
}

// sets returns how many sets of attributes all metrics have.
func sets(t testing.TB, reader metric.Reader) (n int) {
	for _, m := range metrics(t, reader) {
		each(t, m, func(attribute.Set, point) { n++ })
	}
	return n
}

// However many sites there are, and whatever they answer, the series are few.
func TestCardinality(t *testing.T) {
	origins := 100_000
	if testing.Short() {
		origins = 10_000
	}
	reader := metric.NewManualReader()
	telemetry := otelpolite.Telemetry{MeterProvider: metric.NewMeterProvider(metric.WithReader(reader), metric.WithCardinalityLimit(0))}
	transport := &polite.Transport{UserAgent: userAgent, Base: origintest.RoundTripper(hostile)}
	require.NoError(t, telemetry.Instrument(transport))
	for i := range origins {
		get(t.Context(), transport, fmt.Sprintf("http://site%d.example/%d", i, i))
	}
	r := read(t, reader)
	assert.EqualValues(t, origins, r.total("requests"))
	assert.EqualValues(t, origins, r.total("robots.fetch.duration"))
	assert.EqualValues(t, r.total("requests", "allowed=false"), r.total("refusals"))
	assert.LessOrEqual(t, sets(t, reader), 120)
}

// With ServerAddress, each site has its series.
func TestServerAddress(t *testing.T) {
	w := newWorld(t)
	w.telemetry.ServerAddress = true
	telemetry := otelpolite.Telemetry{MeterProvider: w.telemetry.MeterProvider, ServerAddress: true}
	transport := w.newTransport(t)
	require.NoError(t, telemetry.Instrument(transport))
	set(w.web)
	for _, url := range []string{"http://a.example/private", "http://none.example:8080/", "http://down.example/"} {
		get(t.Context(), transport, url)
	}
	r := read(t, w.reader)
	for _, metric := range []string{"requests", "refusals", "robots.fetch.duration"} {
		assert.EqualValues(t, 1, r.total(metric, "server.address=a.example"), metric)
	}
	assert.EqualValues(t, 1, r.total("requests", "server.address=none.example"))
	assert.EqualValues(t, 1, r.total("breaks", "server.address=down.example"))
}

// With ServerAddress, the waits of each site have their series. Without it, they have one.
func TestWaitsByServerAddress(t *testing.T) {
	for _, hosts := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			telemetry := otelpolite.Telemetry{MeterProvider: w.telemetry.MeterProvider, ServerAddress: hosts}
			transport := w.newTransport(t)
			require.NoError(t, telemetry.Instrument(transport))
			set(w.web)
			for range 3 {
				go get(t.Context(), transport, "http://a.example/")
			}
			time.Sleep(5 * time.Second) // on the bubble's clock: each waits for ten seconds more
			r := read(t, w.reader)
			assert.EqualValues(t, 2, r.total("waiting"))
			assert.Equal(t, hosts, r.total("waiting", "server.address=a.example") == 2)
			time.Sleep(20 * time.Second)
			r = read(t, w.reader)
			assert.Zero(t, r.total("waiting"))
			assert.EqualValues(t, 2, r.total("wait.duration"))
			assert.Equal(t, hosts, r.total("wait.duration", "server.address=a.example") == 2)
		})
	}
}

package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answer answers for all sites. The host says how.
func answer(w http.ResponseWriter, r *http.Request) {
	robots := r.URL.Path == "/robots.txt"
	switch {
	case robots && strings.Contains(r.Host, "down"):
		w.WriteHeader(http.StatusInternalServerError)
	case robots:
		io.WriteString(w, "user-agent: *\ndisallow: /private\n")
	case r.URL.Path == "/busy":
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	default:
		io.WriteString(w, "a page")
	}
}

// A crawler is instrumented as in the example, and serves its numbers.
type crawler struct {
	*polite.Transport
	web     *origintest.Server
	handler http.Handler
}

func newCrawler(t *testing.T, transport *polite.Transport) *crawler {
	c := &crawler{Transport: transport, web: origintest.NewInMemory(t)}
	c.web.Others(answer)
	transport.UserAgent, transport.Base = "ExampleBot/1.0 (+https://example.com/bot)", c.web.Transport(t)
	handler, err := instrument(transport)
	require.NoError(t, err)
	c.handler = handler
	t.Cleanup(transport.CloseIdleConnections)
	return c
}

// arrived returns how many requests for a path have arrived.
func (c *crawler) arrived(path string) (n int) {
	for _, a := range c.web.Log() {
		if a.URI == path {
			n++
		}
	}
	return n
}

// scrape gets the page over HTTP, and lets Prometheus' own library parse it.
func (c *crawler) scrape(t *testing.T) map[string]*dto.MetricFamily {
	server := httptest.NewServer(c.handler)
	defer server.Close()
	resp, err := server.Client().Get(server.URL + "/metrics")
	require.NoError(t, err)
	return parse(t, resp)
}

// read is scrape without a connection, so that it can be in a bubble.
func (c *crawler) read(t *testing.T) map[string]*dto.MetricFamily {
	page := httptest.NewRecorder()
	c.handler.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return parse(t, page.Result())
}

func parse(t *testing.T, resp *http.Response) map[string]*dto.MetricFamily {
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	assert.Contains(t, resp.Header.Get("Content-Type"), "text/plain")
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	require.NoError(t, err)
	return families
}

// samples returns a page as Prometheus keeps it.
func samples(t *testing.T, page map[string]*dto.MetricFamily) model.Vector {
	all, err := expfmt.ExtractSamples(&expfmt.DecodeOptions{}, slices.Collect(maps.Values(page))...)
	require.NoError(t, err)
	return all
}

// sum returns the sum of all samples of a metric that have a label, if one is given.
func sum(samples model.Vector, name string, label ...string) (n float64) {
	for _, s := range samples {
		if string(s.Metric[model.MetricNameLabel]) == name && (label == nil || string(s.Metric[model.LabelName(label[0])]) == label[1]) {
			n += float64(s.Value)
		}
	}
	return n
}

// memory is a Store and Turns.
type memory struct {
	memstore.Entries
	memstore.Turns
}

func request(t *testing.T) *http.Request {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example/", nil)
	require.NoError(t, err)
	return req
}

// everything makes a crawler do all that it counts.
func everything(t *testing.T, c *crawler) {
	for _, path := range []string{"/1", "/2", "/private", "/busy", "/3"} {
		fetch(t.Context(), c.Transport, "http://a.example"+path)
	}
	fetch(t.Context(), c.Transport, "http://down.example/")
	c.Trace.Waits(request(t), time.Now())
	c.Trace.Waited(request(t), time.Second, context.Canceled)
	c.Trace.RulesChanged("", nil, nil)
	c.Trace.Called(store.Call{Name: "claim", Err: errors.New("is full")})
	c.Trace.Called(store.Call{Name: "take", Err: errors.New("is full")})
}

// The numbers that are scraped agree with the requests that arrived.
func TestScrape(t *testing.T) { synctest.Test(t, testScrape) }

func testScrape(t *testing.T) {
	c := newCrawler(t, &polite.Transport{Cache: &polite.Cache{Store: new(memory)}})
	_, err := c.Check(t.Context(), request(t).URL)
	require.NoError(t, err)
	synctest.Wait() // until it hears Turns: before, each request takes a turn
	everything(t, c)
	samples := samples(t, c.scrape(t))
	assert.EqualValues(t, 6, sum(samples, "polite_requests_total"))
	assert.EqualValues(t, 2, sum(samples, "polite_refusals_total"))
	assert.EqualValues(t, 1, sum(samples, "polite_refusals_total", "polite_reason", "rule"))
	assert.EqualValues(t, 0, c.arrived("/private"))
	assert.EqualValues(t, c.arrived("/busy"), sum(samples, "polite_breaks_total", "http_response_status_code", "429"))
	assert.EqualValues(t, c.arrived("/robots.txt"), sum(samples, "polite_robots_fetch_duration_seconds_count"))
	assert.EqualValues(t, 1, sum(samples, "polite_robots_fetch_duration_seconds_count", "polite_robots_result", "unreachable"))
	assert.EqualValues(t, 1, sum(samples, "polite_wait_duration_seconds_count", "error_type", ""))
	assert.EqualValues(t, 2, sum(samples, "polite_cache_origins"))
	assert.EqualValues(t, c.Cache.Stats().Bytes, sum(samples, "polite_cache_size_bytes"))
	assert.EqualValues(t, 0, sum(samples, "polite_waiting"))
}

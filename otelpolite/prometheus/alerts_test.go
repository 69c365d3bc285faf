package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// history is the samples of all scrapes, one scrape a minute.
type history struct{ series map[string]*series }

type series struct {
	labels  labels.Labels
	samples []chunks.Sample
}

// A sample is a value at a time, in milliseconds.
type sample struct {
	t int64
	v float64
}

func (s sample) T() int64                      { return s.t }
func (s sample) ST() int64                     { return 0 }
func (s sample) F() float64                    { return s.v }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }

// add adds a scrape.
func (h *history) add(minute int, scrape model.Vector) {
	if h.series == nil {
		h.series = make(map[string]*series)
	}
	for _, s := range scrape {
		key := s.Metric.String()
		if h.series[key] == nil {
			b := labels.NewScratchBuilder(len(s.Metric) + 1)
			b.Add("job", "crawler")
			for name, value := range s.Metric {
				b.Add(string(name), string(value))
			}
			b.Sort()
			h.series[key] = &series{labels: b.Labels()}
		}
		h.series[key].samples = append(h.series[key].samples, sample{at(minute).UnixMilli(), float64(s.Value)})
	}
}

// at returns the time of a minute.
func at(minute int) time.Time { return time.Unix(0, 0).Add(time.Duration(minute) * time.Minute) }

// Querier and the rest make history a storage of Prometheus.
func (h *history) Querier(_, _ int64) (storage.Querier, error) { return h, nil }
func (h *history) Close() error                                { return nil }
func (h *history) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}
func (h *history) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}
func (h *history) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	found := new(results)
	for _, s := range h.series {
		if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(s.labels.Get(m.Name)) }) {
			found.all = append(found.all, storage.NewListSeries(s.labels, s.samples))
		}
	}
	slices.SortFunc(found.all, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
	return found
}

// results are the series that a query has found.
type results struct {
	all []storage.Series
	n   int
}

func (r *results) Next() bool                        { r.n++; return r.n <= len(r.all) }
func (r *results) At() storage.Series                { return r.all[r.n-1] }
func (r *results) Err() error                        { return nil }
func (r *results) Warnings() annotations.Annotations { return nil }

// firing returns the alerts whose condition is true from one minute to another.
func (h *history) firing(t *testing.T, from, to int) (names []string) {
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1_000_000, Timeout: time.Minute, Parser: parser.NewParser(parser.Options{})})
	defer engine.Close()
	for _, rule := range alerts(t) {
		q, err := engine.NewRangeQuery(t.Context(), h, nil, rule.Expr, at(from), at(to), time.Minute)
		require.NoError(t, err)
		matrix, err := q.Exec(t.Context()).Matrix()
		require.NoError(t, err, rule.Alert)
		if slices.ContainsFunc(matrix, func(s promql.Series) bool { return len(s.Floats) == to-from+1 }) {
			names = append(names, rule.Alert)
		}
		q.Close()
	}
	return names
}

// full is a Store and Turns that fail.
type full struct {
	memstore.Entries
	memstore.Turns
}

var errFull = errors.New("is full")

func (*full) Claim(context.Context, string, string, time.Duration) (store.Claim, error) {
	return store.Claim{}, errFull
}

func (*full) Take(context.Context, string, store.Ask) (store.Grant, error) {
	return store.Grant{}, errFull
}

// Each alert fires in the case that it is for, and no alert fires if all is well.
func TestAlerts(t *testing.T) {
	tested := make(map[string]bool)
	for _, test := range []struct {
		name      string
		transport *polite.Transport
		minute    func(t *testing.T, c *crawler, n int) // what happens between two scrapes
		want      []string
	}{
		{"all is well", &polite.Transport{}, func(t *testing.T, c *crawler, n int) {
			for i := range 20 {
				c.visit(t, "http://site%d.example/%d", n%10, i)
			}
			c.visit(t, "http://site%d.example/private", n%10)
			c.visit(t, "http://down%d.example/", n%10)
		}, nil},
		{"all requests are disallowed", &polite.Transport{}, func(t *testing.T, c *crawler, n int) {
			c.visit(t, "http://a.example/private")
		}, []string{"PoliteRefusesAll"}},
		{"sites are down", &polite.Transport{}, func(t *testing.T, c *crawler, n int) {
			c.visit(t, "http://a.example/%d", n)
			c.visit(t, "http://down%d.example/", n)
			c.visit(t, "http://a%d.example/", n/4)
		}, []string{"PoliteSitesUnreachable"}},
		{"more requests come than are sent", &polite.Transport{Pace: polite.Pace{MinDelay: time.Hour}}, func(t *testing.T, c *crawler, n int) {
			for range 40 {
				go fetch(t.Context(), c.Transport, "http://a.example/")
			}
			synctest.Wait()
			assert.EqualValues(t, 40*(n+1)-1, sum(samples(t, c.read(t)), "polite_waiting"))
		}, []string{"PoliteQueueGrows"}},
		{"requests wait for long", &polite.Transport{}, func(t *testing.T, c *crawler, n int) {
			c.visit(t, "http://a.example/")
			c.Trace.Waits(request(t), time.Now())
			c.Trace.Waited(request(t), 20*time.Minute, nil)
		}, []string{"PoliteWaitsLong"}},
		{"the Store and Turns fail", &polite.Transport{Cache: &polite.Cache{Store: new(full)}, Pace: polite.Pace{MinDelay: time.Millisecond}}, func(t *testing.T, c *crawler, n int) {
			c.visit(t, "http://a%d.example/", n)
		}, []string{"PoliteRefusesAll", "PoliteStoreFails", "PoliteTurnsFail"}},
		{"the process stands still", &polite.Transport{Cache: &polite.Cache{Turns: new(memstore.Turns)}, Pace: polite.Pace{MinDelay: time.Millisecond}}, func(t *testing.T, c *crawler, n int) {
			if n == 0 {
				c.Base = origintest.Standstill{Base: c.Base, Long: time.Second}
			}
			if n < 3 {
				c.visit(t, "http://a.example/")
			}
		}, []string{"PoliteOverdue"}},
		{"Watch fails", ill(&sick{watch: errFull}), func(t *testing.T, c *crawler, n int) {
			c.visit(t, "http://a.example/")
			time.Sleep(time.Second)
		}, []string{"PoliteTurnsFail", "PoliteTurnsDeaf"}},
		{"a process is configured differently", ill(&sick{profile: "MinDelay=1h"}), func(t *testing.T, c *crawler, n int) {
			c.visit(t, "http://a.example/")
			time.Sleep(time.Second)
		}, []string{"PoliteTurnsDiffer"}},
		{"connecting takes too long", ill(new(sick)), func(t *testing.T, c *crawler, n int) {
			if n == 0 {
				base := c.Base.(*http.Transport)
				dial := base.DialContext
				base.DisableKeepAlives = true
				base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					pause(ctx, 20*time.Second)
					return dial(ctx, network, address)
				}
			}
			c.visit(t, "http://a.example/")
		}, []string{"PoliteStartsLost"}},
		{"slots are not renewed", ill(&sick{renew: true}), func(t *testing.T, c *crawler, n int) {
			if n == 0 {
				c.web.Page("a.example", "/", origintest.Delay(20*time.Second, answer))
			}
			c.visit(t, "http://a.example/")
		}, []string{"PoliteSlotsLost"}},
		{"Watch fails again and again", ill(&sick{watch: errFull, lasts: time.Second}), func(t *testing.T, c *crawler, n int) {
			c.visit(t, "http://a.example/")
			time.Sleep(9 * time.Second)
			c.visit(t, "http://a.example/")
			time.Sleep(5 * time.Second / 2)
		}, []string{"PoliteTurnsFail", "PoliteReservationsDropped"}},
		{"Turns are slow", ill(&sick{slow: time.Second}), func(t *testing.T, c *crawler, n int) {
			c.visit(t, "http://a.example/")
		}, []string{"PoliteTurnsSlow"}},
		{"the Cache is too small", &polite.Transport{Cache: &polite.Cache{MaxBytes: 1}}, func(t *testing.T, c *crawler, n int) {
			c.visit(t, "http://a%d.example/", n)
		}, []string{"PoliteCacheTooSmall"}},
		{"a site blocks the one page of a day", &polite.Transport{}, func(t *testing.T, c *crawler, n int) {
			if n == 20 {
				c.web.Page("a.example", "/", origintest.Status(http.StatusForbidden))
				c.visit(t, "http://a.example/")
			}
		}, []string{"PoliteBlocked"}},
		{"sites ask for breaks", &polite.Transport{}, func(t *testing.T, c *crawler, n int) {
			c.visit(t, "http://a%d.example/busy", n)
		}, []string{"PoliteManyBreaks"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, h := newCrawler(t, test.transport), new(history)
				for n := range 60 {
					test.minute(t, c, n)
					h.add(n, samples(t, c.read(t)))
				}
				assert.Equal(t, test.want, h.firing(t, 45, 58))
			})
			for _, name := range test.want {
				tested[name] = true
			}
		})
	}
	for _, rule := range alerts(t) {
		assert.True(t, tested[rule.Alert], "%s has no test", rule.Alert)
	}
}

// visit fetches the page.
func (c *crawler) visit(t *testing.T, format string, args ...any) {
	fetch(t.Context(), c.Transport, fmt.Sprintf(format, args...))
}
